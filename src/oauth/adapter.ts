import { type Adapter, type AdapterFactory, type AdapterPayload, errors } from 'oidc-provider';
import { findClientMetadata, registerClient } from '../authorization/client-service.ts';
import {
  dropInteraction,
  findInteraction,
  type Interaction,
  keepInteraction,
} from '../authorization/consent-service.ts';
import type { GrantRow } from '../authorization/grant-store.ts';
import {
  consumeToken,
  dropToken,
  endGrant,
  findUsableToken,
  findWorkingGrant,
  type IssuedToken,
  keepIssuedToken,
} from '../authorization/issued-token-service.ts';
import type { Context } from '../context.ts';
import { BackEndUnavailable, unavailable } from '../errors.ts';
import { PATHS } from './metadata.ts';

/**
 * Where the library keeps its state, by the name of its model. It knows codes, tokens and requests
 * by secrets, which are its `jti`; these never reach the services but as the key.
 */
export function createAdapters(context: Context): AdapterFactory {
  return (model) => {
    const make = ADAPTERS[model];
    // The library makes an adapter only for what is used.
    if (!make) throw new Error(`There is no place to keep a ${model}.`);
    return sayingWhenAway({ ...UNUSED, ...make(context) });
  };
}

/** Makes a back end that does not answer an error that the library passes on as such. */
function sayingWhenAway(adapter: Adapter): Adapter {
  const methods = Object.entries(adapter).map(([name, method]) => [
    name,
    async (...parameters: unknown[]) => {
      try {
        return await method(...parameters);
      } catch (error) {
        if (!(error instanceof BackEndUnavailable)) throw error;
        const away = new errors.CustomOIDCProviderError(
          'temporarily_unavailable',
          unavailable().message,
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
  throw new Error('This is never asked of this model.');
}

/**
 * Registration management, which changes and removes clients, is off: they go when nobody lets them
 * in any more.
 */
function clientAdapter(context: Context): Partial<Adapter> {
  return {
    upsert: (id, metadata) => registerClient(context, id, { ...metadata }),
    find: (id) => findClientMetadata(context, id) as Promise<AdapterPayload | undefined>,
  };
}

/** Grants are made where consent is given; the library reads and ends them. */
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
    // Named, so that a request that was granted in part is not asked about again.
    ...(grant.refusedScopes !== '' && { rejected: { resources: forEach(grant.refusedScopes) } }),
    iat: seconds(grant.createdAt),
    exp: seconds(grant.expiresAt),
  };
}

function tokenAdapter(context: Context, kind: 'code' | 'access' | 'refresh'): Partial<Adapter> {
  return {
    async upsert(secret, { jti, ...token }, lifetime = 0) {
      const kept = await keepIssuedToken(
        context,
        kind,
        secret,
        token as unknown as IssuedToken,
        lifetime * 1000,
      );
      if (!kept) throw new errors.InvalidGrant('the grant has ended');
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
      if (!consumed) throw new errors.InvalidGrant(`the ${kind} was used before`);
    },
    destroy: (secret) => dropToken(context, kind, secret),
    revokeByGrantId: (grantId) => endGrant(context, grantId),
  };
}

function interactionAdapter(context: Context): Partial<Adapter> {
  return {
    async upsert(uid, { jti, returnTo, ...interaction }, lifetime = 0) {
      await keepInteraction(context, uid, interaction as Interaction, lifetime * 1000);
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
 * The library's own sessions are not kept: each request begins without one, so that nothing but the
 * sign-in on the web host says who somebody is, and a sign-out there is one here.
 */
function sessionAdapter(): Partial<Adapter> {
  const nothing = async () => undefined;
  return { upsert: nothing, find: nothing, findByUid: nothing, destroy: nothing };
}

function seconds(timestamp: string): number {
  return Math.floor(Date.parse(timestamp) / 1000);
}
