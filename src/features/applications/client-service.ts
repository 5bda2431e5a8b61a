import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { isStorableText } from '../../base/schema/fields.ts';
import type { Context } from '../../core/context.ts';
import type { ClientMetadata } from './client-metadata.ts';
import { findClient, insertClient } from './client-store.ts';

/** Stores a client that registered itself, with the hash of its secret. */
export async function registerClient(
  context: Context,
  id: string,
  { client_secret: secret, ...metadata }: ClientMetadata,
): Promise<void> {
  const client = {
    id,
    secretHash: typeof secret === 'string' ? hashSecret(secret) : null,
    metadata: JSON.stringify(metadata),
    createdAt: context.now(),
  };
  await context.sql.transaction((tx) => insertClient(tx, client));
}

/** Finds a registered client's metadata, with the hash in place of its secret. */
export async function findClientMetadata(
  context: Context,
  id: string,
): Promise<ClientMetadata | undefined> {
  // The id is untrusted, and PostgreSQL refuses some texts.
  const row = isStorableText(id) && (await findClient(context.sql.read, id));
  if (!row) return undefined;
  return {
    ...JSON.parse(row.metadata),
    ...(row.secretHash !== null && { client_secret: row.secretHash }),
  };
}
