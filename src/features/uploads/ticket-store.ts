import { lookup } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** A ticket to upload one document or file. */
export interface TicketRow {
  id: string;
  accountId: string;
  /** The token or the grant that it was issued to; the other is `null`. */
  tokenId: string | null;
  grantId: string | null;
  /** The document whose text it replaces; `null` if it creates something. */
  documentId: string | null;
  /** An `UploadTask` as JSON. */
  task: string;
  expiresAt: string;
}

/** A ticket with the state of its account and its token or grant. */
export interface OpenTicketRow extends TicketRow {
  username: string;
  disabledAt: string | null;
  tokenName: string | null;
  tokenCreatedAt: string | null;
  tokenExpiresAt: string | null;
  tokenRevokedAt: string | null;
  clientName: string | null;
  grantCreatedAt: string | null;
  grantExpiresAt: string | null;
}

const ticketByHash = lookup<{ secretHash: string }, OpenTicketRow>((db, parameter) =>
  db
    .selectFrom('upload_ticket as ticket')
    .innerJoin('account', 'account.id', 'ticket.account_id')
    .innerJoin('owner', 'owner.id', 'ticket.account_id')
    .leftJoin('access_token as token', 'token.id', 'ticket.token_id')
    .leftJoin('oauth_grant as grant', 'grant.id', 'ticket.grant_id')
    .where('ticket.secret_hash', '=', parameter('secretHash'))
    .select([
      'ticket.id',
      'ticket.account_id as accountId',
      'ticket.token_id as tokenId',
      'ticket.grant_id as grantId',
      'ticket.document_id as documentId',
      'ticket.task',
      'ticket.expires_at as expiresAt',
      'owner.namespace as username',
      'account.disabled_at as disabledAt',
      'token.name as tokenName',
      'token.created_at as tokenCreatedAt',
      'token.expires_at as tokenExpiresAt',
      'token.revoked_at as tokenRevokedAt',
      'grant.client_name as clientName',
      'grant.created_at as grantCreatedAt',
      'grant.expires_at as grantExpiresAt',
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

export async function insertTicket(
  db: Writer,
  ticket: TicketRow & { secretHash: string },
): Promise<void> {
  await db
    .insertInto('upload_ticket')
    .values({
      id: ticket.id,
      secret_hash: ticket.secretHash,
      account_id: ticket.accountId,
      token_id: ticket.tokenId,
      grant_id: ticket.grantId,
      document_id: ticket.documentId,
      task: ticket.task,
      expires_at: ticket.expiresAt,
    })
    .execute();
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
    .where('expires_at', '<=', now)
    .returning('id')
    .execute();
  return deleted.length;
}
