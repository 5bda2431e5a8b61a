import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import { ALL_SCOPES } from '../account/scope.ts';
import { isDocumentAddress, shownName } from '../authorization/client-metadata.ts';
import type { AuthorizationRequest } from '../authorization/consent-service.ts';

const { Check, Prompt } = interactionPolicy;

/** What may be asked of a person, by the names that a request's `prompt` may have. */
const PROMPTS = ['login', 'select_account', 'consent'] as const;

/** What the library hands back when a person has said yes: an answer to each of its questions. */
export function answers({ accountId, grantId }: { accountId: string; grantId: string }) {
  return { login: { accountId, remember: false }, select_account: {}, consent: { grantId } };
}

/** Every request goes to the person, whatever was granted before; one answer settles all of it. */
export function createPolicy() {
  const always = (name: (typeof PROMPTS)[number]) =>
    new Prompt(
      { name, requestable: true },
      (ctx) => ({ request: describeRequest(ctx) }),
      new Check('asked_always', 'the person has to be asked', (ctx) => !ctx.oidc.result?.[name]),
    );
  const policy = interactionPolicy.base();
  policy.clear();
  for (const name of PROMPTS) policy.add(always(name));
  return policy;
}

/** What the consent page shows. Kept with the request, since some clients are kept nowhere else. */
function describeRequest({ oidc }: KoaContextWithOIDC): AuthorizationRequest {
  const { client, requestParamScopes, resourceServers } = oidc;
  const redirectUri = oidc.params?.redirect_uri;
  if (!client || typeof redirectUri !== 'string') throw new Error('The request was not checked.');
  return {
    clientId: client.clientId,
    clientName: shownName(client.clientName, redirectUri),
    hostProven: isDocumentAddress(client.clientId),
    redirectUri,
    scopes: ALL_SCOPES.filter((scope) => requestParamScopes.has(scope)),
    resources: Object.keys(resourceServers ?? {}),
  };
}
