import type { Via } from '../../base/schema/means.ts';
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

/** Who makes a request, and with what. */
export interface Caller {
  username: string;
  via: Via;
}

/** Tells whether a revision was written by the caller, with the same token or application. */
export function isOwnWrite(writer: Writer, { username, via }: Caller): boolean {
  const { author, via: means, viaName } = writer;
  return author === username && means === via.means && viaName === via.name;
}
