import { type LocalFile, readText, writeWhole } from './files.ts';
import { type Memory, remember } from './memory.ts';
import type { Result } from './outcome.ts';
import { partsOf } from './parts.ts';
import { recallFile } from './recall-file.ts';
import { eachAgain, type Run } from './run.ts';

/**
 * Finishes a command, when all documents exist: sends files again that refer to documents created
 * or renamed after them, and lets written files refer to files that were written after them.
 *
 * @param work sends one file
 */
export async function settle(
  run: Run,
  files: readonly LocalFile[],
  work: (file: LocalFile) => Promise<Result | undefined>,
): Promise<void> {
  if (run.dryRun) return;
  const { bodies } = run;
  const waiting = bodies.outdated();
  bodies.forget();
  await eachAgain(
    run,
    files.filter(({ path }) => waiting.has(path)),
    work,
  );
  bodies.forget();
  for (const file of bodies.written.values()) relocalise(run, file);
  bodies.save();
}

function relocalise({ bodies }: Run, file: LocalFile): void {
  const { whole, text: body, memory } = recallFile(file);
  if (!memory || !isWhole(memory)) return;
  const followed = bodies.follow(file, body, memory);
  const next = bodies.toFileAgain(memory.document, file, followed);
  if (next === body || readText(file) !== whole) return;
  writeWhole(file.path, partsOf(whole).mark + remember(file.kind, next, memory));
}

function isWhole(memory: Memory): memory is Parameters<typeof remember>[2] {
  return [memory.id, memory.revision, memory.hash].every((each) => each !== undefined);
}
