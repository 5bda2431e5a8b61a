import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { merge3 } from '../../src/base/text/merge.ts';
import type { RemoteDocument } from './api.ts';
import { conflictPathOf, isTaken, type LocalFile, writeWhole } from './files.ts';
import { unified, withBreaksOf } from './line-breaks.ts';
import { hashOf, memoryOf, remember } from './memory.ts';
import type { Run } from './run.ts';
import type { Read } from './transfer.ts';

const YOURS = '<<<<<<< yours';
const BETWEEN = '=======';
const THEIRS = '>>>>>>> revision';

/**
 * Merges two texts and marks where both changed the same lines. The kind of line breaks is no
 * change.
 *
 * @param base the text that both started from; without it, all lines that differ are marked
 */
function markConflicts(
  base: string | undefined,
  { text: current, revision }: Pick<RemoteDocument, 'text' | 'revision'>,
  yours: string,
): string {
  const { text, conflicts } = merge3(unified(base ?? ''), unified(current), unified(yours));
  const lines = text.split('\n');
  // From the end, so that line numbers stay right.
  for (const conflict of conflicts.toReversed()) {
    const marked = [
      YOURS,
      ...conflict.yours,
      BETWEEN,
      ...conflict.current,
      `${THEIRS} ${revision}`,
    ];
    lines.splice(conflict.line - 1, conflict.current.length, ...marked);
  }
  return lines.join('\n');
}

/** Tells whether a text still has lines that {@link markConflicts} added. */
export function hasMarks(text: string): boolean {
  const lines = text.split(/\r?\n/);
  return lines.includes(YOURS) && lines.some((line) => line.startsWith(`${THEIRS} `));
}

/** Tells whether a conflict of this file is unresolved. */
export function awaitsDecision({ path }: LocalFile): boolean {
  return existsSync(conflictPathOf(path));
}

/**
 * Writes the merged text with its marks beside a file. The written file stores the current
 * revision, so it can be pushed once the conflict is resolved and it has replaced the original. It
 * also stores the hash of the original, to notice later changes.
 */
export function leaveConflict(
  { bodies }: Pick<Run, 'bodies'>,
  { file, whole, body, text: yours }: Read,
  current: RemoteDocument,
  base: string | undefined,
): void {
  const path = conflictPathOf(file.path);
  if (isTaken(path)) return;
  const marked = withBreaksOf(body, markConflicts(base, current, yours));
  const memory = { ...memoryOf(current), replaces: hashOf(whole) };
  writeWhole(path, remember(file.kind, bodies.toFile(current.ref, file, body, marked), memory));
}

/** Says what happened and what to do, after {@link leaveConflict}. */
export function howToDecide(
  { path }: LocalFile,
  what = 'both sides changed the same lines.',
): string {
  const [own, marked] = [basename(path), basename(conflictPathOf(path))];
  const isLater = statSync(path).mtimeMs > statSync(conflictPathOf(path)).mtimeMs;
  const later = isLater ? ` ${own} is newer, so copy its last changes to ${marked} first.` : '';
  return `${what} Edit ${marked}, then run "briefs resolve ${own}".${later}`;
}
