import { Readable } from 'node:stream';
import type { Context } from '../../core/context.ts';
import { requireAccount } from '../../core/identity/account-service.ts';
import { PERSONAL, type PersonalRow, personalRows } from './personal-data-store.ts';

/**
 * Returns everything that is stored about a person as JSON, by table, for themselves: what they wrote in
 * others' documents, their sessions, tokens, invitations, memberships, and what the audit trail says.
 * Without secrets, and without documents, which have an export of their own.
 *
 * @throws NOT_FOUND if there is no such user; the stream fails if the database does
 */
export async function personalData(context: Context, username: string): Promise<Readable> {
  const { id } = await requireAccount(context.sql.read, username);
  return Readable.from(write(context, id), { objectMode: false });
}

async function* write(context: Context, accountId: string): AsyncGenerator<string> {
  yield `{\n"exportedAt": ${JSON.stringify(context.now())}`;
  for (const table of Object.keys(PERSONAL)) {
    yield `,\n${JSON.stringify(table)}: [`;
    let separator = '\n';
    for await (const rows of personalRows(context.sql.read, accountId, table)) {
      for (const row of rows) {
        yield `${separator}  ${JSON.stringify(row, readable(row))}`;
        separator = ',\n';
      }
    }
    yield ']';
  }
  yield '\n}\n';
}

/** Writes bytes, such as a picture, in Base64. */
function readable(row: PersonalRow) {
  return (name: string, value: unknown) =>
    row[name] instanceof Uint8Array ? Buffer.from(row[name]).toString('base64') : value;
}
