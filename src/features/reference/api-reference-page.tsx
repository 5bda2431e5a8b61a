import type { JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { REFERENCE_PATH } from '../../surfaces/web/pages/format.tsx';
import { renderLayout } from '../../surfaces/web/pages/layout.tsx';
import { ApiOperation, Responses, responsesOf } from './api-operation.tsx';
import { type ListedOperation, nameOf, sharedStatuses } from './listed-operation.ts';
import { METHODS, type OpenApi, type Parameter, resolve } from './openapi.ts';

interface Group {
  id: string;
  name: string;
  description: string | undefined;
  operations: ListedOperation[];
}

/**
 * Renders an OpenAPI 3.1 document as the API reference: operations by tag, each with its
 * parameters, its responses and a curl command. `info.description` is plain text with blank lines
 * between paragraphs; an operation's permission is its `x-permission`.
 */
export function renderApiReferencePage(site: Site, openapi: OpenApi): string {
  return renderLayout({
    site,
    viewer: 'signed out',
    signInTo: REFERENCE_PATH,
    title: titleOf(openapi),
    description: 'Every operation of the Briefs API, with its fields, limits and an example.',
    stylesheets: ['site.css'],
    head: <link rel="canonical" href={site.webUrl + REFERENCE_PATH} />,
    skipTo: 'Skip to the reference',
    trail: <span class="here">API reference</span>,
    children: <Reference site={site} document={openapi} />,
  });
}

/** Shows the API reference in the app. It is rendered once. */
export function apiReferencePage(site: Site, openapi: OpenApi): AppPage {
  const html = renderToString(<Reference site={site} document={openapi} />);
  return {
    title: titleOf(openapi),
    skipTo: 'Skip to the reference',
    stylesheets: ['public-in-app.css'],
    trail: <span class="here">API reference</span>,
    children: <div dangerouslySetInnerHTML={{ __html: html }} />,
  };
}

function titleOf({ info }: OpenApi): string {
  return info?.title ?? 'API reference';
}

function Reference({ site, document }: { site: Site; document: OpenApi }): JSX.Element {
  const groups = groupByTag(document);
  const operations = groups.flatMap((group) => group.operations);
  const shared = sharedStatuses(operations);
  return (
    <div class="reference">
      <Index groups={groups} />
      <div class="reference-body">
        <Introduction site={site} document={document} />
        {operations[0] && shared.length > 0 && (
          <section class="group" aria-labelledby="any-request">
            <h2 id="any-request">Responses to any request</h2>
            <p>They are not repeated below.</p>
            <Responses
              document={document}
              responses={responsesOf(document, operations[0]).filter(([status]) =>
                shared.includes(status),
              )}
            />
          </section>
        )}
        {groups.map((group) => (
          <section class="group" aria-labelledby={group.id}>
            <h2 id={group.id}>{group.name}</h2>
            {group.description && <Paragraphs text={group.description} />}
            {group.operations.map((listed) => (
              <ApiOperation
                document={document}
                baseUrl={site.baseUrl}
                listed={listed}
                shared={shared}
              />
            ))}
          </section>
        ))}
      </div>
    </div>
  );
}

function Introduction({ site, document }: { site: Site; document: OpenApi }): JSX.Element {
  return (
    <header class="introduction">
      <h1>{document.info?.title ?? 'API reference'}</h1>
      <p class="facts">
        {document.info?.version && <>Version {document.info.version} · </>}
        <code>{site.baseUrl}</code> ·{' '}
        <a href={`${site.baseUrl}/openapi.json`}>OpenAPI description</a>
      </p>
      {document.info?.description && <Paragraphs text={document.info.description} />}
    </header>
  );
}

function Paragraphs({ text }: { text: string }): JSX.Element {
  return (
    <>
      {text.split(/\n\s*\n/).map((paragraph) => (
        <p>{paragraph}</p>
      ))}
    </>
  );
}

/** Lists the operations: in the margin on wide windows, folded above the text on narrow ones. */
function Index({ groups }: { groups: Group[] }): JSX.Element {
  return (
    <>
      <details class="contents folded-contents">
        <summary>Operations</summary>
        <nav aria-label="Operations">
          <IndexEntries groups={groups} />
        </nav>
      </details>
      <nav class="contents margin-contents" aria-label="Operations" data-contents>
        <IndexEntries groups={groups} />
      </nav>
    </>
  );
}

function IndexEntries({ groups }: { groups: Group[] }): JSX.Element {
  return (
    <ol>
      {groups.map(({ id, name, operations }) => (
        <li>
          <a href={`#${id}`}>{name}</a>
          <ol>
            {operations.map((listed) => (
              <li>
                <a href={`#${listed.id}`}>{nameOf(listed)}</a>
              </li>
            ))}
          </ol>
        </li>
      ))}
    </ol>
  );
}

/** Groups operations in the order of the document's tags, then of first use. */
function groupByTag(document: OpenApi): Group[] {
  const groups = new Map<string, Group>();
  const group = (name: string, description?: string) => {
    const known = groups.get(name);
    if (known) return known;
    const made: Group = { id: `tag-${slug(name)}`, name, description, operations: [] };
    groups.set(name, made);
    return made;
  };
  for (const { name, description } of document.tags ?? []) group(name, description);

  const ids = new Set<string>();
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of METHODS) {
      const operation = item[method];
      if (!operation) continue;
      const id = unique(slug(operation.operationId ?? `${method} ${path}`), ids);
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(
        (parameter) => resolve<Parameter>(document, parameter),
      );
      group(operation.tags?.[0] ?? 'Other').operations.push({
        id,
        method,
        path,
        operation,
        parameters,
      });
    }
  }
  return [...groups.values()].filter(({ operations }) => operations.length > 0);
}

function slug(text: string): string {
  return text
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase();
}

function unique(id: string, taken: Set<string>): string {
  let free = id;
  for (let count = 2; taken.has(free); count++) free = `${id}-${count}`;
  taken.add(free);
  return free;
}
