import { FieldError } from '../../base/errors.ts';
import type { Kind } from '../../base/schema/kind.ts';
import { numberedName } from '../../base/text/document-name.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import { listTakenNames } from './document-store.ts';

/** A name that another document of the owner and kind has. */
interface Wanted {
  ownerId: string;
  /** The owner's namespace; `you` for the actor. */
  owner: string;
  kind: Kind;
  name: string;
}

/** The owner has another document of this kind and name. */
export class NameTaken extends FieldError {
  readonly wanted: Wanted;
  /** A similar name that was free a moment ago. */
  readonly freeName: string | undefined;

  constructor(wanted: Wanted, freeName?: string) {
    const { owner, kind, name } = wanted;
    const problem = `${owner} already ${owner === 'you' ? 'have' : 'has'} a ${kind} named “${name}”.`;
    const advice = freeName === undefined ? 'Choose another name.' : `“${freeName}” is free.`;
    super('UNPROCESSABLE', 'name', `${problem} ${advice}`);
    this.wanted = wanted;
    this.freeName = freeName;
  }
}

/** Numbers to try after a name: consecutive ones first, then with growing gaps. */
const NUMBERS = [
  ...Array.from({ length: 31 }, (_, index) => index + 2),
  ...Array.from({ length: 11 }, (_, index) => 2 ** (index + 6)),
];

/**
 * Runs a transaction. To a {@link NameTaken} that it throws, adds a free name, with one query after
 * the transaction. This reveals nothing, because someone who can create the document could also try
 * names.
 */
export async function offeringFreeName<T>(db: Reader, transaction: () => Promise<T>): Promise<T> {
  try {
    return await transaction();
  } catch (error) {
    if (!(error instanceof NameTaken)) throw error;
    throw new NameTaken(error.wanted, await findFreeName(db, error.wanted));
  }
}

/** Returns a name with a number that an owner's documents of a kind don't have, if one is found. */
export async function findFreeName(
  db: Reader,
  { ownerId, kind, name }: Pick<Wanted, 'ownerId' | 'kind' | 'name'>,
): Promise<string | undefined> {
  const names = NUMBERS.map((number) => numberedName(name, number));
  const taken = new Set(await listTakenNames(db, { ownerId, kind, names }));
  return names.find((each) => !taken.has(each));
}
