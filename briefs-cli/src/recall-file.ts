import { type LocalFile, readText } from './files.ts';
import { recall } from './memory.ts';
import { partsOf } from './parts.ts';
import { syncedOf } from './synced.ts';

/** Reads a file's text, and what it and its folder store about its document. */
export function recallFile(file: LocalFile) {
  const whole = readText(file);
  const { text, memory } = recall(file.kind, partsOf(whole).rest);
  // What a line of its own says belongs to the text beside it.
  if (memory?.id === undefined || memory.hash !== undefined) return { whole, text, memory };
  return { whole, text, memory: { ...memory, ...syncedOf(file, memory.id) } };
}
