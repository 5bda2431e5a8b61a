import type { ComponentChildren, JSX } from 'preact';
import type { Site } from './assets.ts';
import { REFERENCE_PATH } from './format.tsx';
import { Icon, type IconName } from './icons.tsx';
import { renderLayout } from './layout.tsx';

const TITLE = 'Documents to write, share and read';

const WHAT =
  'Briefs keeps Markdown documents and single-file HTML pages, shares them with the people you ' +
  'name, and sets the public ones for reading. A person gets a page; a program gets the Markdown.';

/**
 * What this is, for whoever is not signed in, and how to begin.
 *
 * @param options.done what the visitor has just done, as a sentence
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
        <ul class="promises">
          <Promised icon="pencil" title="Write">
            An editor made for Markdown, with the page as readers will see it beside the text.
            Drafts survive a closed tab and a lost connection.
          </Promised>
          <Promised icon="users" title="Share">
            Public, private, or internal to an organization. Invite people to read, write or manage,
            one document at a time.
          </Promised>
          <Promised icon="globe" title="Send a link">
            Tables, code, mathematics and diagrams, in light and dark, on a phone and on paper. HTML
            pages run in a sandbox of their own.
          </Promised>
        </ul>
        <section aria-labelledby="programs">
          <h2 id="programs">For programs and agents</h2>
          <p>Every document is one request away, with a token from your settings:</p>
          <Command>{publish(site)}</Command>
          <p>The link gives a program the Markdown:</p>
          <Command>{`curl ${site.webUrl}/ada/hello`}</Command>
          <p>
            Or give an agent host this address. It sends you here to sign in, asks what it may do,
            and works with your documents within that:
          </p>
          <Command>{`${site.baseUrl}/mcp`}</Command>
          <ul class="further">
            <li>
              <a href={REFERENCE_PATH}>API reference</a>: every operation, with its fields, limits
              and an example
            </li>
            <li>
              <a href={`${site.baseUrl}/openapi.json`}>OpenAPI description</a>: the same for
              programs
            </li>
          </ul>
        </section>
      </div>
    ),
  });
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
