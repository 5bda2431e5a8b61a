import { hash } from 'node:crypto';
import type { RenderedMarkdown } from '../../base/markdown/render.ts';
import type { RenderOutcome } from '../../base/markdown/render-threads.ts';
import { RENDERER_REVISION } from '../../base/markdown/revision.ts';
import type { Context } from '../../core/context.ts';
import { documentUrl } from '../../core/document/addresses.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import {
  readPublicDocument,
  readPublicRendition,
  saveRendition,
} from '../../core/document/public-document-service.ts';
import type { PublicDocumentRow } from '../../core/document/public-document-store.ts';
import {
  type PublicRevision,
  readPublicRevision,
} from '../../core/revision/public-revision-service.ts';
import { httpDate } from '../../surfaces/http/conditional.ts';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { MARKDOWN_TYPE } from '../../surfaces/web/security-headers.ts';
import { articleContent } from './article-content.ts';
import { renderReadingPage } from './reading-page.tsx';

const HTML = 'text/html; charset=utf-8';

/** A public brief as Markdown or HTML, ready to send. */
export interface Reading {
  body: string | Uint8Array;
  headers: Record<string, string>;
  /** Absent if the response can change without a write to the brief. */
  validators?: { etag: string; lastModified: string };
}

/** Returns a public brief as Markdown. @throws DocumentMoved, NOT_FOUND */
export async function readMarkdown(context: Context, ref: DocumentRef): Promise<Reading> {
  const document = await readPublicDocument(context, ref);
  const { id, version, content } = document;
  const reading = toReading(document, MARKDOWN_TYPE, content, `"${id}.${version}.md"`);
  return { ...reading, headers: { ...reading.headers, link: linksOf(context, document) } };
}

/**
 * Names the brief's page and its description (RFC 8288), for programs that show previews of links and
 * don't ask for HTML.
 */
function linksOf({ webUrl }: Context, document: PublicDocumentRow): string {
  const page = documentUrl(webUrl, { ...document, kind: 'brief' });
  const description = `${webUrl}/oembed.json?url=${encodeURIComponent(page)}`;
  return [
    `<${page}>; rel="canonical"`,
    `<${page}>; rel="alternate"; type="text/html"`,
    `<${description}>; rel="alternate"; type="application/json+oembed"`,
  ].join(', ');
}

function toReading(
  document: PublicDocumentRow,
  contentType: string,
  body: string | Uint8Array,
  etag: string,
): Reading {
  const lastModified = httpDate(document.updatedAt);
  return {
    body,
    headers: {
      'content-type': contentType,
      etag,
      'last-modified': lastModified,
      // Caches must revalidate every use, so that making a brief private takes effect immediately.
      'cache-control': 'public, no-cache',
    },
    validators: { etag, lastModified },
  };
}

/**
 * Creates the function that returns a public brief as an HTML page. Each version is rendered once
 * and stored; concurrent readers share one rendering.
 */
export function createPageReader(
  context: Context,
  site: Site,
): (ref: DocumentRef) => Promise<Reading> {
  const revision = pageRevision(site, context);
  const underway = new Map<string, Promise<Reading>>();

  // The writer's account can be deleted without a new version.
  function toPage(document: PublicDocumentRow, html: Reading['body']): Reading {
    const { id, version, updatedBy } = document;
    return toReading(document, HTML, html, `"${id}.${version}.${updatedBy ?? ''}.${revision}"`);
  }

  async function makePage(ref: DocumentRef): Promise<Reading> {
    // Reads the document again with its content, so that the etag matches the rendered version.
    const document = await readPublicDocument(context, ref);
    // Readers can be anonymous, so rendering counts against the owner.
    const key = `owner:${document.ownerNamespace}`;
    const outcome = await context.markdown.renderOutcome(key, document.content);
    const html = Buffer.from(renderPage(site, document, outcome));
    // Over the render limits, a version always stays unrendered, so that outcome is stored. Other
    // failures can be temporary.
    const provisional = outcome.kind === 'busy' || outcome.kind === 'failed';
    if (provisional) {
      return { body: html, headers: { 'content-type': HTML, 'cache-control': 'no-store' } };
    }
    await saveRendition(context, document, { revision, html });
    return toPage(document, html);
  }

  return async (ref) => {
    const document = await readPublicRendition(context, ref, revision);
    if (document.html) return toPage(document, document.html);
    const key = `${document.id}.${document.version}`;
    let page = underway.get(key);
    if (!page) {
      page = makePage(ref).finally(() => underway.delete(key));
      underway.set(key, page);
    }
    return page;
  };
}

function renderPage(
  site: Site,
  document: PublicDocumentRow & { content: string },
  outcome: RenderOutcome<RenderedMarkdown>,
): string {
  const rendered = outcome.kind === 'rendered' ? outcome.result : undefined;
  const url = documentUrl(site.webUrl, { ...document, kind: 'brief' });
  return renderReadingPage(site, {
    owner: document.ownerNamespace,
    name: document.name,
    ...articleContent(outcome, { name: document.title ?? document.name, source: document.content }),
    description: rendered?.description ?? '',
    url,
    markdownUrl: `${url}.md`,
    diagrams: rendered?.diagrams ?? false,
    updatedAt: document.updatedAt,
    updatedBy: document.updatedBy ?? undefined,
    sizeBytes: document.sizeBytes,
    version: document.version,
  });
}

/**
 * Identifies what a page depends on besides its document: the renderer, the templates, the asset
 * names, the addresses now and before. It is a hash of sample pages, so no one has to maintain a version number.
 */
function pageRevision(site: Site, { formerAddresses }: Context): string {
  const document = {
    id: '',
    name: 'sample',
    title: 'Sample',
    version: 1,
    sizeBytes: 1,
    updatedAt: '2026-01-01T00:00:00.000Z',
    updatedBy: 'sample',
    ownerNamespace: 'sample',
    content: 'sample',
  };
  const heading = { level: 2, id: 'sample', text: 'Sample' } as const;
  const result = {
    html: '<p>sample</p>',
    title: 'Sample',
    description: 'Sample.',
    headings: [heading, heading, heading, heading],
    math: true,
    diagrams: true,
    minutes: 1,
  };
  const samples = [
    RENDERER_REVISION,
    JSON.stringify(formerAddresses),
    renderPage(site, document, { kind: 'rendered', result }),
    renderPage(site, document, { kind: 'too-costly' }),
    renderPage(site, { ...document, updatedBy: null }, { kind: 'too-costly' }),
  ];
  return hash('sha256', samples.join('\0')).slice(0, 16);
}

/** Returns the text of a public brief's pinned revision. @throws DocumentMoved, NOT_FOUND */
export async function readRevisionMarkdown(
  context: Context,
  ref: DocumentRef,
  number: number,
): Promise<Reading> {
  const { document, text, createdAt } = await readPublicRevision(context, ref, number);
  const etag = `"${document.id}.r${number}.md"`;
  const lastModified = httpDate(createdAt);
  return {
    body: text,
    headers: {
      'content-type': MARKDOWN_TYPE,
      etag,
      'last-modified': lastModified,
      // The text never changes, but it can be hidden.
      'cache-control': 'public, no-cache',
    },
    validators: { etag, lastModified },
  };
}

/**
 * Returns a pinned revision of a public brief as a web page. Caches must revalidate every use: the
 * text never changes, but the styles that the page refers to change with each release.
 *
 * @throws DocumentMoved, NOT_FOUND
 */
export async function readRevisionPage(
  context: Context,
  site: Site,
  ref: DocumentRef,
  number: number,
): Promise<Reading> {
  const revision = await readPublicRevision(context, ref, number);
  const key = `owner:${revision.document.ownerNamespace}`;
  const outcome = await context.markdown.renderOutcome(key, revision.text);
  const body = renderRevision(site, revision, outcome);
  const headers = { 'content-type': HTML };
  if (outcome.kind === 'busy' || outcome.kind === 'failed') {
    return { body, headers: { ...headers, 'cache-control': 'no-store' } };
  }
  const etag = `"${hash('sha256', body).slice(0, 32)}"`;
  const lastModified = httpDate(revision.document.updatedAt);
  return {
    body,
    headers: {
      ...headers,
      etag,
      'last-modified': lastModified,
      'cache-control': 'public, no-cache',
    },
    validators: { etag, lastModified },
  };
}

function renderRevision(
  site: Site,
  { document, number, author, createdAt, text }: PublicRevision,
  outcome: RenderOutcome<RenderedMarkdown>,
): string {
  const rendered = outcome.kind === 'rendered' ? outcome.result : undefined;
  const current = documentUrl(site.webUrl, { ...document, kind: 'brief' });
  const url = `${current}@${number}`;
  return renderReadingPage(site, {
    owner: document.ownerNamespace,
    name: document.name,
    ...articleContent(outcome, { name: document.name, source: text }),
    description: rendered?.description ?? '',
    url,
    markdownUrl: `${url}.md`,
    diagrams: rendered?.diagrams ?? false,
    updatedAt: createdAt,
    updatedBy: author ?? undefined,
    sizeBytes: Buffer.byteLength(text),
    version: number,
    revision: { number, author: author ?? undefined, createdAt, current },
  });
}
