import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { closeContext, openContext } from '../open-context.ts';

/** Runs one command's work on the configured database. */
export async function withContext<T>(work: (context: Context) => Promise<T>): Promise<T> {
  const context = await openContext(readConfig(process.env));
  try {
    return await work(context);
  } finally {
    await closeContext(context);
  }
}

/** Prints rows under headings, in columns; nothing but the headings when there are none. */
export function printTable(headings: string[], rows: (string | null)[][]): void {
  const lines = [headings, ...rows.map((row) => row.map((cell) => cell ?? '-'))];
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  for (const line of lines) {
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}
