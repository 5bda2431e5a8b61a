import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import { ALL_SCOPES } from '../../core/identity/scope.ts';
import { isDocumentAddress, shownName } from './client-metadata.ts';
import type { AuthorizationRequest } from './consent-service.ts';

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
function describeRequest({ oidc }: KoaContextWithOIDC): AuthorizationRequest {
  const { client, requestParamScopes, resourceServers } = oidc;
  const redirectUri = oidc.params?.redirect_uri;
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
