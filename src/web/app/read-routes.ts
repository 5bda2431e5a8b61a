import type { FastifyReply, FastifyRequest } from 'fastify';
import { displayNamesOf } from '../../account/own-profile-service.ts';
import { usernamesOf } from '../../account/username-service.ts';
import type { Context } from '../../context.ts';
import { allow, isInsider, presentPermissions } from '../../document/access-rules.ts';
import { documentUrl, renderUrl } from '../../document/addresses.ts';
import { requireDocument, type Seen } from '../../document/authorize.ts';
import type { DocumentRef } from '../../document/document-ref.ts';
import { getDocument } from '../../document/document-service.ts';
import type { DocumentRow } from '../../document/document-store.ts';
import { listOtherEditors } from '../../document/editing/editing-service.ts';
import { signedAddressOf } from '../../document/page-service.ts';
import { getMarks } from '../../document/pin/pin-service.ts';
import { getPublicAddress } from '../../document/public-document-service.ts';
import { findReviewState } from '../../document/review/review-service.ts';
import { recordVisit } from '../../document/revision/last-visit-service.ts';
import { readPublicRevision } from '../../document/revision/public-revision-service.ts';
import { parseRevisionName } from '../../document/revision/revision-name.ts';
import { undefinedIfNotFound } from '../../errors.ts';
import { seeOther } from '../account-parts.ts';
import { articleContent } from '../article-content.ts';
import { MARKDOWN_TYPE, webHeaders } from '../headers.ts';
import { signInPath } from '../next-path.ts';
import type { RefusedText } from '../pages/app/discussion-state.ts';
import { readBriefPage, readHtmlPage } from '../pages/app/read-page.tsx';
import type { ShownDocument } from '../pages/app/shown-document.ts';
import { pathOfRef } from './addresses.ts';
import type { AppParts, AppRequest } from './app-parts.ts';
import { loadDiscussion, writersOf } from './discussion-view.ts';
import { addDocumentRoutes, type DocumentRoute } from './document-routes.ts';
import { readRevision } from './read-revision.ts';
import { actOnThread, THREAD_FORM_BYTES } from './thread-forms.ts';

/**
 * Adds `/read/…`, which shows a document or one of its revisions, with the forms for comments; and
 * `/raw/…`, which returns a brief's Markdown, as a file with `?download`.
 */
export function addReadRoutes(parts: AppParts): void {
  const { context, site } = parts;

  async function readBrief(
    asked: AppRequest<DocumentRoute>,
    ref: DocumentRef,
    refused?: RefusedText,
  ): Promise<FastifyReply> {
    const seen = await getDocument(context, asked.actor, ref);
    const { text } = seen;
    const discussion = await loadDiscussion(context, asked.actor, seen.document, async () => text);
    // The preview has the line of each block, by which comments find their passages.
    const outcome = await (discussion
      ? context.markdown.previewOutcome(asked.actor.id, text)
      : context.markdown.renderOutcome(asked.actor.id, text));
    const rendered = outcome.kind === 'rendered' ? outcome.result : undefined;
    const shown = await showDocument(
      parts,
      asked,
      seen,
      !allow(asked.actor, 'editContent', seen.document) && discussion?.can.comment === true,
    );
    const content = articleContent(rendered, { name: shown.name, source: text });
    const page = readBriefPage(site, shown, content, discussion && { ...discussion, refused });
    const names = await displayNamesOf(context, discussion ? writersOf(discussion) : []);
    return parts.show(asked, { ...page, names }, refused ? 422 : 200);
  }

  async function readPage(
    asked: AppRequest<DocumentRoute>,
    ref: DocumentRef,
    refused?: RefusedText,
  ): Promise<FastifyReply> {
    // Doesn't load the HTML: the render host sends that to the frame.
    const seen = await requireDocument(context.sql.read, asked.actor, ref, 'read');
    const { document } = seen;
    const loadText = async () => (await getDocument(context, asked.actor, ref)).text;
    const discussion = await loadDiscussion(context, asked.actor, document, loadText);
    const isReview = discussion !== undefined;
    const source =
      document.visibility === 'public' && !isReview
        ? renderUrl(context.renderUrl, document)
        : (await signedAddressOf(context, asked.actor, document, { isReview })).url;
    const frame = { title: document.title ?? document.name, source };
    const shown = await showDocument(
      parts,
      asked,
      seen,
      !allow(asked.actor, 'editContent', document) && discussion?.can.comment === true,
    );
    const page = readHtmlPage(site, shown, frame, discussion && { ...discussion, refused });
    const names = await displayNamesOf(context, discussion ? writersOf(discussion) : []);
    return parts.show(asked, { ...page, names }, refused ? 422 : 200);
  }

  addDocumentRoutes(parts, 'read', {
    get: (asked, ref) => {
      const revision = parseRevisionName(ref.name);
      if (revision) return readRevision(parts, asked, { ...ref, name: revision.name }, revision);
      return ref.kind === 'brief' ? readBrief(asked, ref) : readPage(asked, ref);
    },
    getSignedOut: (kind) => async (request, reply) => {
      const { owner, name } = request.params as DocumentRoute['Params'];
      const revision = parseRevisionName(name);
      const ref = { kind, owner, name: revision?.name ?? name };
      const address = await undefinedIfNotFound(publicAddressOf(context, ref, revision?.number));
      return seeOther(reply, address ?? signInPath(request.url));
    },
    bodyLimit: THREAD_FORM_BYTES,
    post: (asked, ref) =>
      actOnThread(parts, asked, ref, (refused) =>
        ref.kind === 'brief' ? readBrief(asked, ref, refused) : readPage(asked, ref, refused),
      ),
  });

  addDocumentRoutes(parts, 'raw', {
    get: async (asked, ref) => {
      // Only the render host sends users' HTML.
      if (ref.kind === 'page') return seeOther(asked.reply, pathOfRef('read', ref));
      const { text, document } = await getDocument(context, asked.actor, ref);
      return asked.reply
        .headers(webHeaders(context).markdown)
        .headers({
          'content-type': MARKDOWN_TYPE,
          'cache-control': 'private, no-store',
          // The header makes it a download. With a `download` attribute on the link, the browser
          // would save the sign-in page once the session has ended.
          ...(asked.request.query.download !== undefined && {
            'content-disposition': attachmentOf(document.name),
          }),
        })
        .send(text);
    },
  });

  // The 404 page of a brief that isn't public links here. The `Referer` header names the brief.
  const targetOf = (request: FastifyRequest) => readPathFrom(request.headers.referer, site.webUrl);
  parts.get(
    '/read',
    async ({ request, reply }) => seeOther(reply, targetOf(request)),
    async (request, reply) => seeOther(reply, signInPath(targetOf(request))),
  );
}

/** Returns the public URL of a document or pinned revision. @throws DocumentMoved, NOT_FOUND */
async function publicAddressOf(
  context: Context,
  ref: DocumentRef,
  revision: number | undefined,
): Promise<string> {
  if (revision === undefined) return getPublicAddress(context, ref);
  const { document } = await readPublicRevision(context, ref, revision);
  return `${documentUrl(context.webUrl, { ...document, kind: ref.kind })}@${revision}`;
}

/** Returns the app's path for the brief at a public address, or Home for other addresses. */
function readPathFrom(referrer: string | undefined, webUrl: string): string {
  const from = URL.parse(referrer ?? '');
  const isOurs = from?.origin === new URL(webUrl).origin;
  const [, brief] = (isOurs && /^(\/[^/]+\/[^/]+?)(?:\.md)?$/i.exec(from.pathname)) || [];
  return brief === undefined ? '/' : `/read${brief}`;
}

/** Returns everything that the app shows of a document besides its content. */
async function showDocument(
  { context }: AppParts,
  { actor }: AppRequest,
  { document, level }: Seen<DocumentRow>,
  canOnlyPropose: boolean,
): Promise<ShownDocument> {
  const { kind, ownerNamespace, name, title, visibility, updatedAt, sizeBytes } = document;
  const usernames = await usernamesOf(context, [document.updatedBy]);
  return {
    id: document.id,
    kind,
    ownerNamespace,
    name,
    title,
    visibility,
    updatedAt,
    sizeBytes,
    updatedBy: usernames.get(document.updatedBy),
    rights: presentPermissions(level),
    canOnlyPropose,
    canMove: allow(actor, 'move', document),
    version: document.version,
    editors: await listOtherEditors(context, actor, document),
    news: await recordVisit(context, actor, document),
    review: await findReviewState(context, document),
    marks: await getMarks(context, document),
    isInsider: isInsider(document),
  };
}

/** Encodes a file name (RFC 8187). Names can't contain `'()*`, which would stay unencoded. */
function attachmentOf(name: string): string {
  return `attachment; filename*=UTF-8''${encodeURIComponent(name)}.md`;
}
