import type { FastifyReply, FastifyRequest } from 'fastify';
import { undefinedIfNotFound } from '../../base/errors.ts';
import type { Context } from '../../core/context.ts';
import { allow, isInsider, presentPermissions } from '../../core/document/access-rules.ts';
import { documentUrl, renderUrl } from '../../core/document/addresses.ts';
import { requireDocument, type Seen } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { getDocument } from '../../core/document/document-service.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { getPublicAddress } from '../../core/document/public-document-service.ts';
import { accessOf, type DocumentAccess } from '../../core/document/shown-link-service.ts';
import { findFeedState } from '../../core/event/feed-store.ts';
import { takeable } from '../../core/owner/policy-service.ts';
import { canReview } from '../../core/review/review-access.ts';
import { findReviewSettings } from '../../core/review/review-setting-store.ts';
import { readPublicRevision } from '../../core/revision/public-revision-service.ts';
import { parseRevisionName } from '../../core/revision/revision-name.ts';
import { seeOther } from '../../surfaces/web/account-parts.ts';
import { pathOfRef } from '../../surfaces/web/addresses.ts';
import { type AppParts, type AppRequest, wantsJson } from '../../surfaces/web/app-parts.ts';
import { addDocumentRoutes, type DocumentRoute } from '../../surfaces/web/document-routes.ts';
import { readForm } from '../../surfaces/web/form.ts';
import { signInPath } from '../../surfaces/web/next-path.ts';
import { MARKDOWN_TYPE, webHeaders } from '../../surfaces/web/security-headers.ts';
import { listBacklinks } from '../backlinks/backlink-service.ts';
import type { RefusedText } from '../comments/discussion-state.ts';
import { loadDiscussion, writersOf } from '../discussion/discussion-view.ts';
import { actOnThread, THREAD_FORM_BYTES } from '../discussion/thread-forms.ts';
import { findTypedPage, renderTyped, TYPED_TEXT } from '../live/typed-text-service.ts';
import { canTakeDown } from '../moderation/takedown-service.ts';
import { signedAddressOf } from '../pages/page-service.ts';
import { getMarks } from '../pins/pin-service.ts';
import { displayNamesOf } from '../profiles/own-profile-service.ts';
import { usernamesOf } from '../profiles/username-service.ts';
import { mustPropose } from '../proposals/proposal-access-service.ts';
import { findReviewBar } from '../reviews/review-bar-service.ts';
import { shownRevision } from '../revisions/changed-since.ts';
import { recordVisit } from '../revisions/last-visit-service.ts';
import { getRevision } from '../revisions/revision-service.ts';
import { articleContent } from './article-content.ts';
import { authorsInText } from './authors-in-text.ts';
import { readBriefPage, readHtmlPage } from './read-page.tsx';
import { briefRevisionPage, goneRevisionPage, pageRevisionPage } from './revision-page.tsx';
import type { ShownDocument } from './shown-document.ts';
import { setTask } from './task-service.ts';

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
    const { position } = await findFeedState(context.sql.read);
    const seen = await getDocument(asked.call, ref);
    const { text } = seen;
    if (asked.request.query.authors !== undefined && wantsJson(asked.request)) {
      const authors = await authorsInText(asked.call, ref, seen.document.version);
      return asked.reply.header('cache-control', 'private, no-store').send(authors);
    }
    const typed = await renderTyped(context, seen, asked.request.headers[TYPED_TEXT]);
    const loadText = async () => text;
    const discussion = await loadDiscussion(asked.call, seen.document, loadText, typed);
    // The preview has the line of each block, by which comments and tasks find their passages.
    const mayEdit = allow(asked.call.actor, 'editContent', seen.document);
    const isLined = discussion !== undefined || mayEdit;
    const show = isLined ? context.markdown.previewOutcome : context.markdown.renderOutcome;
    const outcome = typed?.outcome ?? (await show(asked.call.actor.id, text));
    const shown = await showDocument(
      parts,
      asked,
      { ...seen, position },
      !mayEdit && discussion?.can.comment === true,
      loadText,
    );
    const content = articleContent(outcome, {
      name: seen.document.title ?? shown.name,
      source: text,
    });
    const canTick = mayEdit && !(await mustPropose(asked.call, ref));
    const document = { ...shown, canTick, typed: typed?.state };
    const page = readBriefPage(site, document, content, discussion && { ...discussion, refused });
    const names = await displayNamesOf(context, discussion ? writersOf(discussion) : []);
    // With 503, an open page keeps its text.
    const status = content.isLate ? 503 : 200;
    return parts.show(asked, { ...page, names }, refused ? 422 : status);
  }

  async function readPage(
    asked: AppRequest<DocumentRoute>,
    ref: DocumentRef,
    refused?: RefusedText,
  ): Promise<FastifyReply> {
    const { position } = await findFeedState(context.sql.read);
    // Doesn't load the HTML: the render host sends that to the frame.
    const seen = await requireDocument(context.sql.read, asked.call.actor, ref, 'read');
    const { document } = seen;
    const loadText = async () => (await getDocument(asked.call, ref)).text;
    const discussion = await loadDiscussion(asked.call, document, loadText);
    const typed = await findTypedPage(context, document, asked.request.headers[TYPED_TEXT]);
    const shows = { isReview: discussion !== undefined, isTyped: typed !== undefined };
    const direct =
      document.visibility === 'public'
        ? renderUrl(context.renderUrl, document)
        : (await signedAddressOf(asked.call, document)).url;
    const source =
      shows.isReview || shows.isTyped
        ? (await signedAddressOf(asked.call, document, shows)).url
        : direct;
    const frame = { title: document.title ?? document.name, source, direct };
    const shown = await showDocument(
      parts,
      asked,
      { ...seen, position },
      !allow(asked.call.actor, 'editContent', document) && discussion?.can.comment === true,
    );
    const comments = discussion && { ...discussion, refused };
    const page = readHtmlPage(site, { ...shown, typed }, frame, comments);
    const names = await displayNamesOf(context, discussion ? writersOf(discussion) : []);
    return parts.show(asked, { ...page, names }, refused ? 422 : 200);
  }

  async function tick(asked: AppRequest<DocumentRoute>, ref: DocumentRef): Promise<FastifyReply> {
    const names = ['document', 'revision', 'line', 'done'] as const;
    const { document: documentId, ...form } = readForm(asked.request.body, names);
    const task = {
      documentId,
      revision: shownRevision(form.revision),
      line: Number(form.line),
      isDone: form.done !== '',
    };
    await setTask(asked.call, ref, task);
    return asked.reply.code(204).header('cache-control', 'private, no-store').send();
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
      (asked.request.body as { act?: unknown } | undefined)?.act === 'tick'
        ? tick(asked, ref)
        : actOnThread(parts, asked, ref, (refused) =>
            ref.kind === 'brief' ? readBrief(asked, ref, refused) : readPage(asked, ref, refused),
          ),
  });

  addDocumentRoutes(parts, 'raw', {
    get: async (asked, ref) => {
      // Only the render host sends users' HTML.
      if (ref.kind === 'page') return seeOther(asked.reply, pathOfRef('read', ref));
      const { text, document } = await getDocument(asked.call, ref);
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
  { call }: AppRequest,
  { document, level, position }: Seen<DocumentRow> & { position: number },
  canOnlyPropose: boolean,
  loadText?: () => Promise<string>,
): Promise<ShownDocument> {
  const { kind, ownerNamespace, name, title, visibility, updatedAt, sizeBytes } = document;
  const usernames = await usernamesOf(context, [document.updatedBy]);
  const isFree = (await takeable(context.sql.read, [document])).has(document);
  return {
    id: document.id,
    kind,
    ownerNamespace,
    name,
    title,
    visibility,
    access: (await accessOf(call, [document])).get(document.id) as DocumentAccess,
    updatedAt,
    sizeBytes,
    updatedBy: usernames.get(document.updatedBy),
    rights: presentPermissions(level),
    canOnlyPropose,
    canMove: isFree && allow(call.actor, 'move', document),
    canDelete: (isFree || context.trashMs > 0) && allow(call.actor, 'delete', document),
    canTakeDown: await canTakeDown(context.sql.read, call.actor, document),
    version: document.version,
    position,
    news: await recordVisit(call, document),
    review: await findReviewBar(call, document, loadText),
    marks: await getMarks(context, document),
    linkedFrom: (await listBacklinks(call, document.id)).map((each) => each.document),
    isInsider: isInsider(document),
  };
}

/** Encodes a file name (RFC 8187). Names can't contain `'()*`, which would stay unencoded. */
function attachmentOf(name: string): string {
  return `attachment; filename*=UTF-8''${encodeURIComponent(name)}.md`;
}

/** Shows one revision of a document at `/read/…@{n}`. @throws DocumentMoved, NOT_FOUND */
async function readRevision(
  parts: AppParts,
  asked: AppRequest<DocumentRoute>,
  ref: DocumentRef,
  { number }: { number: number },
): Promise<FastifyReply> {
  const { context } = parts;
  const { call } = asked;
  const { document, level, revision, text } = await getRevision(call, ref, number);
  const { write } = presentPermissions(level);
  const access = (await accessOf(call, [document])).get(document.id) as DocumentAccess;
  const page = { document, access, revision, rights: { insider: isInsider(document), write } };
  if (text === undefined) return parts.show(asked, goneRevisionPage(page), 404);
  if (ref.kind === 'page') {
    // With the script that marks passages, for comparing (`revisions/client/page-changes.ts`).
    const { comments } = await findReviewSettings(context.sql.read, document.id);
    const isReview =
      asked.request.query.marked !== undefined && canReview(document, comments, 'see');
    const signed = { revision: number, isReview };
    const { url } = await signedAddressOf(call, document, signed);
    return parts.show(asked, pageRevisionPage(parts.site, page, url));
  }
  const outcome = await context.markdown.renderOutcome(call.actor.id, text);
  const content = articleContent(outcome, { name: document.name, source: text });
  return parts.show(asked, briefRevisionPage(page, content), content.isLate ? 503 : 200);
}
