import { FieldError } from '../../base/errors.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { isAdmin } from '../../core/identity/admin.ts';
import { ALL_SCOPES } from '../../core/identity/scope.ts';
import { listDemands } from '../../core/owner/program-service.ts';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import { faultsOf, isCorrectable, readChoices, readForm } from '../../surfaces/web/form.ts';
import { settingsPath } from '../../surfaces/web/pages/settings-page.tsx';
import { AGENT_FORM, EMPTY_FORM, LIFETIMES } from './new-token.tsx';
import {
  createOwnToken,
  listOwnTokens,
  type OwnToken,
  revokeOwnToken,
} from './own-token-service.ts';
import { revokeTokenPage, type TokensPage, tokensPage } from './token-settings.tsx';

interface TokenRoute {
  Params: { id: string };
}

/** Adds `/settings/tokens`, where users create and revoke personal access tokens. */
export function addTokenRoutes(parts: AppParts): void {
  const { context, site } = parts;
  const path = settingsPath('tokens');

  async function show(asked: AppRequest, more: Partial<TokensPage> = {}, status = 200) {
    const [tokens, canAdminister, demands] = await Promise.all([
      listOwnTokens(asked.call),
      isAdmin(context.sql.read, asked.call.actor.id),
      listDemands(context, asked.call.actor, 'token'),
    ]);
    const page = {
      baseUrl: site.baseUrl,
      tokens,
      canAdminister,
      demands,
      form: EMPTY_FORM,
      faults: {},
      ...more,
    };
    return parts.show(asked, tokensPage(page), status);
  }

  // The Connect page links here with `?for=agent`.
  parts.get<{ Querystring: { for?: string } }>(path, (asked) =>
    show(asked, asked.request.query.for === 'agent' ? { form: AGENT_FORM } : {}),
  );

  parts.post(
    path,
    parts.proven(async (asked) => {
      const { body } = asked.request;
      const scopes = readChoices(body, 'scopes', ALL_SCOPES);
      const form = { ...readForm(body, ['name', 'lifetime', 'reach']), scopes };
      try {
        const lifetimeDays = readLifetime(form.lifetime);
        const { name, reach } = form;
        const { token } = await createOwnToken(asked.call, { name, scopes, lifetimeDays, reach });
        // Shown in this response rather than after a redirect, so that it is stored nowhere.
        return await show(asked, { made: { token, name: name.trim(), scopes } }, 201);
      } catch (error) {
        if (!isCorrectable(error)) throw error;
        return show(asked, { form, faults: faultsOf(error) }, 422);
      }
    }),
  );

  parts.get<TokenRoute>(`${path}/:id/revoke`, async (asked) =>
    parts.show(asked, revokeTokenPage(await requireWorking(asked))),
  );

  parts.post<TokenRoute>(`${path}/:id/revoke`, async (asked) => {
    await revokeOwnToken(asked.call, asked.request.params.id);
    return parts.goOn(asked, path, { message: 'Token revoked.' });
  });

  /** @throws NOT_FOUND */
  async function requireWorking({ request, call }: AppRequest<TokenRoute>): Promise<OwnToken> {
    const { working } = await listOwnTokens(call);
    const id = normaliseId(request.params.id);
    const token = working.find((one) => one.id === id);
    if (!token) throw new FieldError('NOT_FOUND', 'id', 'you have no active token with this id.');
    return token;
  }
}

/** Returns days, or `undefined` for no expiry. @throws BAD_REQUEST naming `lifetime` */
function readLifetime(text: string): number | undefined {
  const chosen = LIFETIMES.find(({ value }) => value === text);
  if (!chosen) throw new FieldError('BAD_REQUEST', 'lifetime', 'choose when the token expires.');
  return chosen.days;
}
