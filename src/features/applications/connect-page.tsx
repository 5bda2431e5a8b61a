import type { JSX } from 'preact';
import { deedOf } from '../../core/event/event-words.ts';
import { documentPath } from '../../surfaces/web/addresses.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { Day } from '../../surfaces/web/pages/format.tsx';
import { CopyLine, PageHead } from '../../surfaces/web/pages/parts.tsx';
import { settingsPath } from '../../surfaces/web/pages/settings-page.tsx';
import { DEVICE_PATH } from './device-page.tsx';
import type { LastAct } from './last-act-service.ts';

/** The form for a new token, with the permissions that an agent needs. */
const NEW_TOKEN_PATH = `${settingsPath('tokens')}?for=agent`;

/** A connected application or an active token. */
export interface Connection {
  name: string;
  /** The page where it can be disconnected. */
  href: string;
  /** ISO 8601; `null` if it was never used. */
  lastUsedAt: string | null;
  lastAct: LastAct | undefined;
}

export interface ConnectPage {
  /** The address of the tools. */
  address: string;
  applications: readonly Connection[];
  tokens: readonly Connection[];
}

/** Shows how to connect an agent, and what is connected. */
export function connectPage({ address, applications, tokens }: ConnectPage): AppPage {
  return {
    title: 'Connect an agent',
    place: 'connect',
    children: (
      <div class="sheet narrow">
        <PageHead title="Connect an agent" />
        <p>
          Add this address to your agent. It opens your browser, where you sign in and choose what
          it can access.
        </p>
        <CopyLine text={address} label="Address" button="Copy address" />
        <section class="section" aria-labelledby="hosts">
          <h2 id="hosts">Your agent</h2>
          <ul class="rows hosts">
            {hostsFor(address).map((host) => (
              <HostRow host={host} />
            ))}
          </ul>
        </section>
        <Connections
          id="connected-apps"
          title="Connected apps"
          none="No connected apps."
          connections={applications}
        />
        <Connections id="tokens" title="Tokens" none="No active tokens." connections={tokens} />
        <p>
          <a href={NEW_TOKEN_PATH}>Create a token</a> or{' '}
          <a href={DEVICE_PATH}>enter the code of a device</a>
        </p>
      </div>
    ),
  };
}

function HostRow({ host }: { host: Host }): JSX.Element {
  const { name, use, text, needsToken } = host;
  return (
    <li>
      <div>
        <strong>{name}</strong>
        <p class="aside">
          {use}.
          {needsToken && (
            <>
              {' '}
              <a href={NEW_TOKEN_PATH}>Create a token</a>
            </>
          )}
        </p>
        <pre class="command">{text}</pre>
      </div>
      <button
        type="button"
        class="secondary small needs-script"
        data-action="copy-text"
        data-text={text}
        aria-label={`Copy for ${name}`}
      >
        <span class="label">Copy</span>
      </button>
    </li>
  );
}

function Connections(props: {
  id: string;
  title: string;
  none: string;
  connections: readonly Connection[];
}): JSX.Element {
  const { id, title, none, connections } = props;
  return (
    <section class="section" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {connections.length === 0 ? (
        <p>{none}</p>
      ) : (
        <ul class="rows">
          {connections.map((connection) => (
            <ConnectionRow connection={connection} />
          ))}
        </ul>
      )}
    </section>
  );
}

function ConnectionRow({ connection }: { connection: Connection }): JSX.Element {
  const { name, href, lastUsedAt, lastAct } = connection;
  return (
    <li>
      <div>
        <strong>{name}</strong>
        <p class="aside">
          {lastUsedAt === null ? (
            'Never used'
          ) : (
            <>
              Last used <Day at={lastUsedAt} />
            </>
          )}
          {lastAct && (
            <>
              {' · '}
              {deedOf(lastAct)}{' '}
              <a href={documentPath('read', lastAct.document)}>
                {lastAct.document.ownerNamespace}/{lastAct.document.name}
              </a>
              {', '}
              <Day at={lastAct.at} />
            </>
          )}
        </p>
      </div>
      <a class="quiet small" href={href} aria-label={`Manage ${name}`}>
        Manage
      </a>
    </li>
  );
}

/** How to connect an agent host (docs/agents/hosts.md). */
interface Host {
  name: string;
  /** What to do with the text, as a sentence. */
  use: string;
  text: string;
  /** Whether the host signs in with a token instead of in the browser. */
  needsToken?: boolean;
}

/** Returns the hosts, each with its instructions. @param address of the tools, `{base_url}/mcp` */
function hostsFor(address: string): readonly Host[] {
  const json = (servers: object) => JSON.stringify(servers, null, 2);
  return [
    {
      name: 'Claude Code',
      use: 'Run this command, then choose Authenticate under /mcp',
      text: `claude mcp add --transport http briefs ${address}`,
    },
    {
      name: 'claude.ai and Claude Desktop',
      use: 'Enter this address under Customize, Connectors, Add custom connector',
      text: address,
    },
    {
      name: 'VS Code',
      use: 'Put this into .vscode/mcp.json',
      text: json({ servers: { briefs: { type: 'http', url: address } } }),
    },
    {
      name: 'Cursor',
      use: 'Put this into ~/.cursor/mcp.json',
      text: json({ mcpServers: { briefs: { url: address } } }),
    },
    {
      name: 'Codex CLI',
      use: 'Set BRIEFS_TOKEN to a token, then run this command',
      text: `codex mcp add briefs --url ${address} --bearer-token-env-var BRIEFS_TOKEN`,
      needsToken: true,
    },
    {
      name: 'Gemini CLI',
      use: 'Set BRIEFS_TOKEN to a token, then run this command',
      text: `gemini mcp add --scope user --transport http --header "Authorization: Bearer $BRIEFS_TOKEN" briefs ${address}`,
      needsToken: true,
    },
  ];
}
