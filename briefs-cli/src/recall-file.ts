import { type LocalFile, readText } from './files.ts';
import { recall } from './memory.ts';
import { partsOf } from './parts.ts';

/** Reads a file, and splits what it stores about its document from its text. */
export function recallFile(file: LocalFile) {
  const whole = readText(file);
  return { whole, ...recall(file.kind, partsOf(whole).rest) };
}
