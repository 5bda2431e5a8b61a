import { type Adapter, type AdapterFactory, type AdapterPayload, errors } from 'oidc-provider';
import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { BackEndUnavailable, unavailable } from '../../base/errors.ts';
import { isStorableText } from '../../base/schema/fields.ts';
import type { Context } from '../../core/context.ts';
import type { GrantRow } from '../../core/identity/grant-store.ts';
import type { ClientMetadata } from './client-metadata.ts';
import { findClient, insertClient } from './client-store.ts';
import {
  dropInteraction,
  findInteraction,
  type Interaction,
  storeInteraction,
} from './consent-service.ts';
import {
  type Asking,
  consumeDeviceCode,
  findDeviceCode,
  storeDeviceCode,
} from './device-service.ts';
import {
  consumeToken,
  dropToken,
  endGrant,
  findUsableToken,
  findWorkingGrant,
  type IssuedToken,
  storeIssuedToken,
} from './issued-token-service.ts';
import { PATHS } from './metadata.ts';

/**
 * Creates the library's storage adapters by model name. The library's `jti` of a code, token or
 * request is its secret; services get it only as the key.
 */
export function createAdapters(context: Context): AdapterFactory {
  return (model) => {
    const create = ADAPTERS[model];
    // The library creates adapters only for models that it uses.
    if (!create) throw new Error(`There is no adapter for ${model}.`);
    return withUnavailableErrors({ ...UNUSED, ...create(context) });
  };
}

/** Converts BackEndUnavailable to an error that the library sends with status 503. */
function withUnavailableErrors(adapter: Adapter): Adapter {
  const methods = Object.entries(adapter).map(([name, method]) => [
    name,
    async (...parameters: unknown[]) => {
      try {
        return await method(...parameters);
      } catch (error) {
        if (!(error instanceof BackEndUnavailable)) throw error;
        const away = new errors.CustomOIDCProviderError(
          'temporarily_unavailable',
          unavailable(error).message,
        );
        throw Object.assign(away, { status: 503, statusCode: 503, cause: error });
      }
    },
  ]);
  return Object.fromEntries(methods);
}

const ADAPTERS: Record<string, (context: Context) => Partial<Adapter>> = {
  Client: clientAdapter,
  Grant: grantAdapter,
  AuthorizationCode: (context) => tokenAdapter(context, 'code'),
  AccessToken: (context) => tokenAdapter(context, 'access'),
  RefreshToken: (context) => tokenAdapter(context, 'refresh'),
  DeviceCode: deviceAdapter,
  Interaction: interactionAdapter,
  Session: sessionAdapter,
};

const UNUSED: Adapter = {
  upsert: unused,
  find: unused,
  findByUserCode: unused,
  findByUid: unused,
  consume: unused,
  destroy: unused,
  revokeByGrantId: unused,
};

async function unused(): Promise<never> {
  throw new Error('The library should not call this method on this model.');
}

/**
 * Clients are never changed or deleted through the library (registration management is off). A
 * sweep deletes unused ones.
 */
function clientAdapter(context: Context): Partial<Adapter> {
  return {
    upsert: (id, metadata) => registerClient(context, id, { ...metadata }),
    find: (id) => findClientMetadata(context, id) as Promise<AdapterPayload | undefined>,
  };
}

/** The consent service creates grants. The library only reads and ends them. */
function grantAdapter(context: Context): Partial<Adapter> {
  return {
    async find(id) {
      const grant = await findWorkingGrant(context, id);
      return grant && toLibraryGrant(grant);
    },
    destroy: (id) => endGrant(context, id),
  };
}

function toLibraryGrant(grant: GrantRow): AdapterPayload {
  const forEach = (scopes: string) =>
    Object.fromEntries(grant.resources.split(' ').map((resource) => [resource, scopes]));
  return {
    kind: 'Grant',
    jti: grant.id,
    accountId: grant.accountId,
    clientId: grant.clientId,
    resources: forEach(grant.scopes),
    // Stops the library from asking again about refused scopes.
    ...(grant.refusedScopes !== '' && { rejected: { resources: forEach(grant.refusedScopes) } }),
    iat: seconds(grant.createdAt),
    exp: seconds(grant.expiresAt),
  };
}

function tokenAdapter(context: Context, kind: 'code' | 'access' | 'refresh'): Partial<Adapter> {
  return {
    async upsert(secret, { jti, ...token }, lifetime = 0) {
      const isStored = await storeIssuedToken(
        context,
        kind,
        secret,
        token as unknown as IssuedToken,
        lifetime * 1000,
      );
      if (!isStored) throw new errors.InvalidGrant('the grant has ended');
    },
    async find(secret) {
      const found = await findUsableToken(context, kind, secret);
      if (!found) return undefined;
      const { token, consumedAt } = found;
      const audiences = token.aud?.split(' ');
      return {
        ...token,
        jti: secret,
        ...(audiences && audiences.length > 1 && { aud: audiences as never }),
        ...(consumedAt && { consumed: seconds(consumedAt) }),
      };
    },
    async consume(secret) {
      const consumed = kind !== 'access' && (await consumeToken(context, kind, secret));
      if (!consumed) throw new errors.InvalidGrant(`the ${kind} has already been used`);
    },
    destroy: (secret) => dropToken(context, kind, secret),
    revokeByGrantId: (grantId) => endGrant(context, grantId),
  };
}

/** The library creates and reads devices' codes. The consent service answers them. */
function deviceAdapter(context: Context): Partial<Adapter> {
  return {
    async upsert(secret, { jti, userCode, ...asking }, lifetime = 0) {
      const codes = { secret, userCode: userCode as string };
      await storeDeviceCode(context, codes, asking as unknown as Asking, lifetime * 1000);
    },
    async find(secret) {
      const found = await findDeviceCode(context, secret);
      if (!found) return undefined;
      const { fields, isExpired, consumedAt } = found;
      return {
        ...fields,
        jti: secret,
        ...(isExpired && { exp: 1 }),
        ...(consumedAt && { consumed: seconds(consumedAt) }),
      };
    },
    async consume(secret) {
      const isFirst = await consumeDeviceCode(context, secret);
      if (!isFirst) throw new errors.InvalidGrant('the device code has already been used');
    },
    revokeByGrantId: (grantId) => endGrant(context, grantId),
  };
}

function interactionAdapter(context: Context): Partial<Adapter> {
  return {
    async upsert(uid, { jti, returnTo, ...interaction }, lifetime = 0) {
      await storeInteraction(context, uid, interaction as Interaction, lifetime * 1000);
    },
    async find(uid) {
      const interaction = await findInteraction(context, uid);
      const returnTo = `${context.baseUrl}${PATHS.authorize}/${uid}`;
      return interaction && ({ ...interaction, jti: uid, returnTo } as AdapterPayload);
    },
    destroy: (uid) => dropInteraction(context, uid),
  };
}

/**
 * Stores no library sessions. Only the sign-in on the web host identifies a user, so signing out
 * there is enough.
 */
function sessionAdapter(): Partial<Adapter> {
  const nothing = async () => undefined;
  return { upsert: nothing, find: nothing, findByUid: nothing, destroy: nothing };
}

function seconds(timestamp: string): number {
  return Math.floor(Date.parse(timestamp) / 1000);
}

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
