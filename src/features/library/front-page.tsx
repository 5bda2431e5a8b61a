import type { ComponentChildren, JSX } from 'preact';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { REFERENCE_PATH } from '../../surfaces/web/pages/format.tsx';
import { Icon, type IconName } from '../../surfaces/web/pages/icons.tsx';
import { renderLayout } from '../../surfaces/web/pages/layout.tsx';

const TITLE = 'Agents write, people review';

const WHAT =
  'Briefs stores Markdown documents and single-file HTML pages that people and their agents write, ' +
  'comment on, revise and approve, and then send as a link. Earlier revisions can be restored.';

/**
 * Renders the front page for visitors who are not signed in.
 *
 * @param options.done confirms what the visitor has just done, as a sentence
 */
export function renderFrontPage(
  site: Site,
  options: { signUpsOpen: boolean; done?: string | undefined },
): string {
  const { signUpsOpen, done } = options;
  return renderLayout({
    site,
    viewer: 'signed out',
    title: TITLE,
    description: WHAT,
    stylesheets: ['site.css'],
    head: <link rel="canonical" href={`${site.webUrl}/`} />,
    children: (
      <div class="column front">
        {done !== undefined && (
          <p class="done" role="status">
            {done}
          </p>
        )}
        <h1>{TITLE}</h1>
        <p class="lead">{WHAT}</p>
        <p class="begin">
          {signUpsOpen && (
            <a class="primary" href="/sign-up">
              Sign up
            </a>
          )}
          <a class={signUpsOpen ? 'secondary' : 'primary'} href="/sign-in">
            Sign in
          </a>
        </p>
        <Picture site={site} />
        <ul class="promises">
          <Promised icon="pencil" title="Write">
            You in a Markdown editor with a live preview, your agent over MCP. Drafts survive a
            closed tab or a lost connection.
          </Promised>
          <Promised icon="message-square" title="Review">
            Comment on a passage, suggest other words, approve a revision. Your agent waits for
            comments, revises and answers.
          </Promised>
          <Promised icon="users" title="Share">
            Keep a document private, share it within your organization, or publish it. Invite people
            to read, edit or manage it.
          </Promised>
          <Promised icon="globe" title="Send a link">
            Tables, code, math and diagrams look right in light and dark, on phones and on paper.
            HTML pages run in a sandbox.
          </Promised>
        </ul>
        <section aria-labelledby="programs">
          <h2 id="programs">For programs and agents</h2>
          <p>
            Create a token in your settings, then publish a document with one request. Anyone can
            read it, unless you add a visibility:
          </p>
          <Command>{publish(site)}</Command>
          <p>Programs that open its link get the Markdown:</p>
          <Command>{`curl ${site.webUrl}/ada/hello`}</Command>
          <p>
            To connect an agent over MCP, give it this address. You sign in here and choose what it
            can access:
          </p>
          <Command>{`${site.baseUrl}/mcp`}</Command>
          <ul class="further">
            <li>
              <a href={REFERENCE_PATH}>API reference</a>: every operation with its fields, limits
              and an example
            </li>
            <li>
              <a href={`${site.baseUrl}/openapi.json`}>OpenAPI description</a>: the same in
              machine-readable form
            </li>
          </ul>
        </section>
      </div>
    ),
  });
}

/** Renders a picture of the product, in the colours that the visitor's system prefers. */
function Picture({ site: { assets } }: { site: Site }): JSX.Element {
  return (
    <picture class="product">
      <source srcset={assets.url('front-dark.png')} media="(prefers-color-scheme: dark)" />
      <img
        src={assets.url('front-light.png')}
        alt="A brief in review: beside the text are a comment with an answer by an agent, and a suggested change"
        width="1240"
        height="720"
      />
    </picture>
  );
}

function publish(site: Site): string {
  return [
    `curl ${site.baseUrl}/user/briefs \\`,
    '  -H "Authorization: Bearer $TOKEN" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '{"name": "hello", "content": "# Hello\\n\\nMy first brief."}'`,
  ].join('\n');
}

function Promised(props: {
  icon: IconName;
  title: string;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <li>
      <Icon name={props.icon} />
      <h2>{props.title}</h2>
      <p>{props.children}</p>
    </li>
  );
}

function Command({ children }: { children: string }): JSX.Element {
  return (
    <pre>
      <code>{children}</code>
    </pre>
  );
}
