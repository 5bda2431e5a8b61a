import { hash } from 'node:crypto';
import type { RenderedMarkdown } from '../../base/markdown/render.ts';
import type { RenderOutcome } from '../../base/markdown/render-threads.ts';
import type { Context } from '../../core/context.ts';
import { documentUrl } from '../../core/document/addresses.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import {
  type PublicRevision,
  readPublicRevision,
} from '../../core/revision/public-revision-service.ts';
import { httpDate } from '../../surfaces/http/conditional.ts';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { MARKDOWN_TYPE } from '../../surfaces/web/security-headers.ts';
import { articleContent } from './article-content.ts';
import type { Reading } from './reading.ts';
import { renderReadingPage } from './reading-page.tsx';

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
  const body = renderPage(site, revision, outcome);
  const headers = { 'content-type': 'text/html; charset=utf-8' };
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

function renderPage(
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
