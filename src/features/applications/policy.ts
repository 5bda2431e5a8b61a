import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import { ALL_SCOPES, USUAL_SCOPES } from '../../core/identity/scope.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { isDocumentAddress, shownName } from './client-metadata.ts';

const { Check, Prompt } = interactionPolicy;

/** The values of a request's `prompt` that need the user. */
const PROMPTS = ['login', 'select_account', 'consent'] as const;

/** Returns the library's interaction result for a granted request: an answer to each prompt. */
export function promptResults({ accountId, grantId }: { accountId: string; grantId: string }) {
  return { login: { accountId, remember: false }, select_account: {}, consent: { grantId } };
}

/**
 * Creates the policy: every request needs the user's decision, even after earlier grants. One
 * decision answers all prompts.
 */
export function createPolicy() {
  const always = (name: (typeof PROMPTS)[number]) =>
    new Prompt(
      { name, requestable: true },
      (ctx) => ({ request: describeRequest(ctx) }),
      new Check('asked_always', 'the user must decide', (ctx) => !ctx.oidc.result?.[name]),
    );
  const policy = interactionPolicy.base();
  policy.clear();
  for (const name of PROMPTS) policy.add(always(name));
  return policy;
}

/**
 * Returns what the consent page shows. Stored with the request, because some clients are not
 * stored.
 */
function describeRequest(
  { oidc }: KoaContextWithOIDC,
  redirectUri = oidc.params?.redirect_uri,
): AuthorizationRequest {
  const { client, requestParamScopes, resourceServers } = oidc;
  if (!client || typeof redirectUri !== 'string') throw new Error('The request was not validated.');
  return {
    clientId: client.clientId,
    clientName: shownName(client.clientName, redirectUri),
    hostProven: isDocumentAddress(client.clientId),
    redirectUri,
    scopes: ALL_SCOPES.filter((scope) => requestParamScopes.has(scope)),
    resources: Object.keys(resourceServers ?? {}),
  };
}

/**
 * Returns the same for a device. Nothing proves who it is: any program can name a client that has no
 * secret, and no redirect leads back to its host.
 *
 * @param address where it asks from
 */
export function describeDevice(ctx: KoaContextWithOIDC, address: string): AuthorizationRequest {
  const request = describeRequest(ctx, ctx.oidc.client?.redirectUris?.[0]);
  const scopes = request.scopes.length > 0 ? request.scopes : USUAL_SCOPES;
  return { ...request, scopes: [...scopes], hostProven: false, device: { address } };
}
