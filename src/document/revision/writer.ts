import type { Revision } from './revision.ts';

/** The author of a revision and the client they used. */
export type Writer = Pick<Revision, 'author' | 'via' | 'viaName'>;

/** Names a writer in a sentence, with the token's name in quotes: `ada (token "ci")`. */
export function writerInWords({ author, via, viaName }: Writer): string {
  const person = author ?? 'a deleted account';
  if (via === null) return person;
  const name = viaName === null ? '' : ` ${JSON.stringify(viaName)}`;
  return `${person} (${via}${name})`;
}
