import type { JSX } from 'preact';
import type { Scope } from '../../core/identity/scope.ts';
import { SCOPE_DESCRIPTIONS } from '../../core/identity/scope-descriptions.ts';
import type { Demand } from '../../core/owner/program-service.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { dialogScreen } from '../../surfaces/web/pages/dialog-screen.tsx';
import { Day } from '../../surfaces/web/pages/format.tsx';
import { ConfirmForm, CopyLine } from '../../surfaces/web/pages/parts.tsx';
import { settingsPage, settingsPath } from '../../surfaces/web/pages/settings-page.tsx';
import { NotReached, Reaches } from '../policies/reach.tsx';
import { NewToken, type TokenForm } from './new-token.tsx';
import type { OwnToken } from './own-token-service.ts';

/** A harmless request for each scope. */
const EXAMPLE_BY_SCOPE = {
  'documents:read': '/user/briefs',
  profile: '/user',
  organizations: '/user/orgs',
  sharing: '/user/brief_invitations',
} as const satisfies Partial<Record<Scope, string>>;

/**
 * Returns shell commands to try a new token with.
 *
 * @param scopes the token's scopes; the command needs no others
 */
function exampleLines(
  baseUrl: string,
  token: string,
  scopes: readonly Scope[],
): { title: string; line: string }[] {
  const header = `"Authorization: Bearer ${token}"`;
  const known = Object.entries(EXAMPLE_BY_SCOPE);
  const path = known.find(([scope]) => scopes.includes(scope as Scope))?.[1];
  const curl =
    path === undefined
      ? `curl ${baseUrl}/user/briefs -H ${header} -H "Content-Type: application/json" -d '{"name": "hello", "content": "# Hello", "visibility": "private"}'`
      : `curl ${baseUrl}${path} -H ${header}`;
  return [
    { title: 'Try it with curl', line: curl },
    {
      title: 'Give it to an agent (MCP), such as Claude Code',
      line: `claude mcp add --transport http briefs ${baseUrl}/mcp --header ${header}`,
    },
  ];
}

export interface TokensPage {
  baseUrl: string;
  tokens: { working: readonly OwnToken[]; ended: readonly OwnToken[] };
  form: TokenForm;
  faults: Faults;
  /** Whether to offer the permission to administer the instance. */
  canAdminister: boolean;
  /** What organizations demand of a new token. */
  demands: readonly Demand[];
  /** The token that was just created. Shown only once. */
  made?: { token: string; name: string; scopes: readonly Scope[] };
}

export function tokensPage(page: TokensPage): AppPage {
  const { tokens, made } = page;
  return settingsPage(
    'tokens',
    <>
      {made && <MadeToken baseUrl={page.baseUrl} made={made} />}
      <section aria-labelledby="tokens">
        <h2 id="tokens">Personal access tokens</h2>
        <p class="aside">Programs and agents use a token to act as you, within its permissions.</p>
        {tokens.working.length === 0 ? (
          <p>No active tokens.</p>
        ) : (
          <ul class="rows">
            {tokens.working.map((token) => (
              <WorkingToken token={token} />
            ))}
          </ul>
        )}
        {tokens.ended.length > 0 && (
          <details>
            <summary>Expired and revoked tokens ({tokens.ended.length})</summary>
            <ul class="rows">
              {tokens.ended.map((token) => (
                <EndedToken token={token} />
              ))}
            </ul>
          </details>
        )}
      </section>
      <NewToken
        form={page.form}
        faults={page.faults}
        canAdminister={page.canAdminister}
        demands={page.demands}
      />
    </>,
  );
}

/** Asks for confirmation before a token is revoked. */
export function revokeTokenPage({ id, name, lastUsedAt }: OwnToken): AppPage {
  const title = `Revoke ${name}?`;
  return dialogScreen({
    title,
    place: 'settings',
    children: (
      <>
        <p>
          Programs that use this token will lose access immediately. This can’t be undone.{' '}
          {lastUsedAt === null ? (
            'This token has never been used.'
          ) : (
            <>
              This token was last used on <Day at={lastUsedAt} />.
            </>
          )}
        </p>
        <ConfirmForm action={revokePath(id)} label="Revoke token" back={settingsPath('tokens')} />
      </>
    ),
  });
}

function revokePath(id: string): string {
  return `${settingsPath('tokens')}/${id}/revoke`;
}

function MadeToken({ baseUrl, made }: Pick<Required<TokensPage>, 'baseUrl' | 'made'>) {
  return (
    <section class="shown-once" aria-labelledby="made-title" data-shown-once>
      <h2 id="made-title">Copy your new token “{made.name}” now</h2>
      <p>You won’t see it again. If you lose it, revoke it and create a new one.</p>
      <CopyLine text={made.token} label="Token" />
      {exampleLines(baseUrl, made.token, made.scopes).map(({ title, line }) => (
        <>
          <h3>{title}</h3>
          <CopyLine text={line} label={title} />
        </>
      ))}
      <p class="aside">
        Anyone who has this token can use it as you. Store it like a password, and keep it out of
        shared files.
      </p>
    </section>
  );
}

function WorkingToken({ token }: { token: OwnToken }): JSX.Element {
  const { id, name, createdAt, expiresAt, lastUsedAt } = token;
  return (
    <li>
      <div>
        <strong>{name}</strong>
        <p class="aside">
          Created <Day at={createdAt} />
          &nbsp;·{' '}
          {expiresAt === null ? (
            'Never expires'
          ) : (
            <>
              Expires <Day at={expiresAt} />
            </>
          )}
          &nbsp;·{' '}
          {lastUsedAt === null ? (
            'Never used'
          ) : (
            <>
              Last used <Day at={lastUsedAt} />
            </>
          )}
        </p>
        <Reaches reaches={token.reaches} />
        <NotReached closed={token.closedTo} means="token" />
        {token.scopes === 'everything' ? (
          <p class="aside">All permissions, including future ones</p>
        ) : (
          <ul class="aside">
            {token.scopes.map((scope) => (
              <li>{SCOPE_DESCRIPTIONS[scope]}</li>
            ))}
          </ul>
        )}
      </div>
      <a class="secondary" href={revokePath(id)} aria-label={`Revoke ${name}`} data-dialog>
        Revoke
      </a>
    </li>
  );
}

function EndedToken({ token }: { token: OwnToken }): JSX.Element {
  const { name, createdAt, expiresAt, revokedAt } = token;
  return (
    <li>
      <div>
        <strong>{name}</strong>
        <p class="aside">
          Created <Day at={createdAt} />
          &nbsp;· {revokedAt === null ? 'Expired' : 'Revoked'}{' '}
          <Day at={revokedAt ?? expiresAt ?? createdAt} />
        </p>
      </div>
    </li>
  );
}
