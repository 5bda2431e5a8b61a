import { lookup, type Parameter } from '../../storage/sql/prepared.ts';
import type { Row, RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** A ticket to upload one document or file, with the state of its account and its token or grant. */
export type OpenTicketRow = RowOf<typeof ticketByHash>;

const ticketByHash = lookup((db, parameter: Parameter<{ secretHash: string }>) =>
  db
    .selectFrom('upload_ticket as ticket')
    .innerJoin('account', 'account.id', 'ticket.accountId')
    .innerJoin('owner', 'owner.id', 'ticket.accountId')
    .leftJoin('access_token as token', 'token.id', 'ticket.tokenId')
    .leftJoin('oauth_grant as grant', 'grant.id', 'ticket.grantId')
    .where('ticket.secretHash', '=', parameter('secretHash'))
    .select([
      'ticket.id',
      'ticket.accountId',
      'ticket.tokenId',
      'ticket.grantId',
      'ticket.documentId',
      'ticket.task',
      'ticket.expiresAt',
      'owner.namespace as username',
      'account.disabledAt',
      'account.refusedAt',
      'token.name as tokenName',
      'token.createdAt as tokenCreatedAt',
      'token.expiresAt as tokenExpiresAt',
      'token.revokedAt as tokenRevokedAt',
      'token.reach as tokenReach',
      'grant.clientName',
      'grant.createdAt as grantCreatedAt',
      'grant.reach as grantReach',
      'grant.scopes as grantScopes',
      'grant.expiresAt as grantExpiresAt',
    ]),
);

/** Finds a ticket by the hash of its secret. It may have expired, or its token or grant ended. */
export async function findTicketByHash(
  db: Reader,
  secretHash: string,
): Promise<OpenTicketRow | undefined> {
  const [row] = await ticketByHash(db, { secretHash });
  return row;
}

export async function insertTicket(db: Writer, ticket: Row<'upload_ticket'>): Promise<void> {
  await db.insertInto('upload_ticket').values(ticket).execute();
}

/** Deletes a ticket. Only one of several concurrent callers gets `true`. */
export async function deleteTicket(db: Writer, id: string): Promise<boolean> {
  const deleted = await db
    .deleteFrom('upload_ticket')
    .where('id', '=', id)
    .returning('id')
    .execute();
  return deleted.length === 1;
}

/** Deletes the tickets that expired by `now`. @returns how many */
export async function deleteExpiredTickets(db: Writer, now: string): Promise<number> {
  const deleted = await db
    .deleteFrom('upload_ticket')
    .where('expiresAt', '<=', now)
    .returning('id')
    .execute();
  return deleted.length;
}
