import type { ComponentChildren, JSX } from 'preact';
import type { Site } from './assets.ts';
import { renderLayout, type Viewer } from './layout.tsx';
import { REFERENCE_PATH } from './words.tsx';

const WHAT =
  'Briefs keeps Markdown documents and single-file HTML pages, shares them with the people you ' +
  'name, and sets the public ones for reading.';

/** What this is, and from nothing to the first brief in four commands. */
export function renderHomePage(
  site: Site,
  viewer: Viewer = 'signed out',
  signUpsOpen = true,
): string {
  return renderLayout({
    site,
    viewer,
    title: 'Documents to write, share and read',
    description: WHAT,
    stylesheets: ['site.css'],
    head: <link rel="canonical" href={`${site.webUrl}/`} />,
    children: (
      <div class="column home">
        <h1>Documents to write, share and read</h1>
        <p class="lead">{WHAT}</p>
        <ol class="steps">
          <Step title="Make an account" command={CREATE_ACCOUNT}>
            {signUpsOpen ? (
              <>
                <a href="/sign-up">Sign up</a> here, or make one
              </>
            ) : (
              'Make one'
            )}{' '}
            on the machine that the service runs on. It works while the service runs.
          </Step>
          <Step title="Make a token" command={CREATE_TOKEN}>
            The token is shown this once, and acts for you wherever it is used. Here it goes
            straight into a variable of your shell.
          </Step>
          <Step title="Publish a brief" command={publish(site)}>
            A brief is public unless you say otherwise: anyone on the web can read this one. Add{' '}
            <code>"visibility": "private"</code> to keep it to yourself and those you invite.
          </Step>
          <Step title="Read it" command={read(site)}>
            Programs get the Markdown; a browser at the same address gets a page to read.
          </Step>
          <Step title="Or have an agent do it" command={connect(site)}>
            Give an agent host this address. It sends you here to sign in, asks what it may do, and
            works with your documents within that.
          </Step>
        </ol>
        <h2>Further</h2>
        <ul class="further">
          <li>
            <a href={REFERENCE_PATH}>API reference</a>: every operation, with its fields, limits and
            an example
          </li>
          <li>
            <a href={`${site.baseUrl}/openapi.json`}>OpenAPI description</a>: the same for programs
          </li>
        </ul>
      </div>
    ),
  });
}

const CREATE_ACCOUNT = 'npx briefs users create ada --email ada@example.com';
const CREATE_TOKEN = 'TOKEN=$(npx briefs tokens create ada)';

function publish(site: Site): string {
  return [
    `curl ${site.baseUrl}/user/briefs \\`,
    '  -H "Authorization: Bearer $TOKEN" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '{"name": "hello", "content": "# Hello\\n\\nMy first brief."}'`,
  ].join('\n');
}

function connect(site: Site): string {
  return `${site.baseUrl}/mcp`;
}

function read(site: Site): string {
  return `curl ${site.webUrl}/ada/hello`;
}

interface StepProps {
  title: string;
  command: string;
  children: ComponentChildren;
}

function Step({ title, command, children }: StepProps): JSX.Element {
  return (
    <li>
      <h2>{title}</h2>
      <p>{children}</p>
      <pre>
        <code>{command}</code>
      </pre>
    </li>
  );
}
