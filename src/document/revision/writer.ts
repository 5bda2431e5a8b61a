import type { Revision } from './revision.ts';

/** Who wrote a revision, and with what. */
export type Writer = Pick<Revision, 'author' | 'via' | 'viaName'>;

/** A writer in a sentence. A token's name is its owner's words, so it stays in quotes: `ada (token "ci")`. */
export function writerInWords({ author, via, viaName }: Writer): string {
  const person = author ?? 'a deleted account';
  if (via === null) return person;
  const name = viaName === null ? '' : ` ${JSON.stringify(viaName)}`;
  return `${person} (${via}${name})`;
}
