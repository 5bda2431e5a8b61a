import { userInfo } from 'node:os';
import type { Page, PageRequest } from '../base/pagination/result-page.ts';
import { withOrigin } from '../core/audit/origin.ts';
import { readConfig } from '../core/config/read-config.ts';
import type { Context } from '../core/context.ts';
import { closeContext, hasData, openContext, openRateLimiter } from '../open-context.ts';

/**
 * Runs a command's work on the configured data.
 *
 * @param options.create creates a missing database. If false, a missing one is an error, because a
 *   wrong DATA_DIR would look like an empty service
 */
export async function withContext<T>(
  work: (context: Context) => Promise<T>,
  options: { create: boolean } = { create: false },
): Promise<T> {
  const config = readConfig(process.env);
  if (!options.create && !hasData(config)) {
    throw new Error(
      `There is no data in ${config.dataDir}. Run this where the service runs, or set DATA_DIR.`,
    );
  }
  const context = await openContext(config);
  try {
    return await withOrigin({ command: { user: systemUser() } }, () => work(context));
  } finally {
    await closeContext(context);
  }
}

/**
 * Returns the name of the system's user who runs the command, or the number of one without a name, as in
 * a container.
 */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch (error) {
    const number = process.getuid?.();
    if (number === undefined) throw error;
    return String(number);
  }
}

/** Does the same as {@link withContext}, with the service's rate limiter. */
export function withCounters<T>(work: (context: Context) => Promise<T>): Promise<T> {
  return withContext(async (context) => {
    const limiter = await openRateLimiter(readConfig(process.env), {
      // A failure throws, so there is nothing to log.
      logger: { warn() {}, info() {} },
      onFallback() {},
    });
    try {
      return await work({ ...context, limiter });
    } finally {
      await limiter.close();
    }
  });
}

export async function listAll<T>(
  list: (page: PageRequest) => Promise<Page<T>>,
): Promise<readonly T[]> {
  const items: T[] = [];
  for (let number = 1; ; number++) {
    const page = await list({ number, size: 100 });
    items.push(...page.items);
    if (page.items.length < 100) return items;
  }
}

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

/** The description of `--json`. */
export const AS_JSON = 'print JSON instead of a table';

/** The option of commands that can print JSON. */
export interface JsonOption {
  json?: true;
}

/** Prints a value as JSON, for programs. */
export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2));
}
