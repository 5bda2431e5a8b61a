import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { nothingAtAddress, undefinedIfNotFound } from '../../base/errors.ts';
import { type Actor, callOf } from '../../core/context.ts';
import { allow } from '../../core/document/access-rules.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import { getDocument } from '../../core/document/document-service.ts';
import { LINK_SEGMENT, linkUrl } from '../../core/document/link.ts';
import {
  type LinkedDocument,
  LinkLocked,
  openLink,
  readLinkedText,
  unlockLink,
} from '../../core/document/linked-document-service.ts';
import { TooManyAttempts } from '../../core/identity/attempts.ts';
import { seeOther, sendOwnPage } from '../../surfaces/web/account-parts.ts';
import { pathOfRef } from '../../surfaces/web/addresses.ts';
import { type AppParts, type AppRequest, wantsJson } from '../../surfaces/web/app-parts.ts';
import type { DocumentRoute } from '../../surfaces/web/document-routes.ts';
import { readForm } from '../../surfaces/web/form.ts';
import { preferredFormat } from '../../surfaces/web/negotiation.ts';
import { signInPath } from '../../surfaces/web/next-path.ts';
import type { Viewer } from '../../surfaces/web/pages/layout.tsx';
import { MARKDOWN_TYPE, webHeaders } from '../../surfaces/web/security-headers.ts';
import { createUnlockedLinks } from '../../surfaces/web/unlocked-links.ts';
import type { RefusedText } from '../comments/discussion-state.ts';
import { loadDiscussion, writersOf } from '../discussion/discussion-view.ts';
import { actOnThread, THREAD_FORM_BYTES } from '../discussion/thread-forms.ts';
import { findTypedPage, renderTyped, TYPED_TEXT } from '../live/typed-text-service.ts';
import { renderFramePage } from '../pages/frame-page.tsx';
import { signedAddressOfLink } from '../pages/page-service.ts';
import { displayNamesOf } from '../profiles/own-profile-service.ts';
import { articleContent } from '../reading/article-content.ts';
import { renderLinkPage } from './link-page.tsx';
import { linkedBriefPage, linkedHtmlPage } from './linked-page.tsx';
import { renderLockedPage } from './locked-page.tsx';

/**
 * Anyone who has the address can read, so search engines, caches and other sites must not learn it.
 */
const HEADERS = {
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
  'cache-control': 'private, no-store',
};

interface LinkRoute {
  Params: { secret: string };
  Querystring: { format?: unknown };
}

/**
 * Adds secret links (decision 014). Everyone sees the same page, except that signed-in people also
 * see the comments if the link allows commenting, and that those who can do more than with the link
 * are led to the app.
 */
export function addLinkRoutes(app: FastifyInstance, parts: AppParts): void {
  const { context, site, visits } = parts;
  const path = `/${LINK_SEGMENT}/:secret`;
  const unlockedLinks = createUnlockedLinks(site.webUrl);

  app.get<LinkRoute>(path, { config: { secretPath: true } }, async (request, reply) => {
    reply.headers(HEADERS).header('vary', 'Accept');
    const [, secret = '', suffix] = /^(.*?)(\.md)?$/s.exec(request.params.secret) ?? [];
    const asked = suffix !== undefined || request.query.format === 'md';
    const preferred = asked ? 'markdown' : preferredFormat(request.headers.accept);
    const linked = await openFor(request, secret).catch((error) => {
      if (error instanceof LinkLocked) return error;
      throw error;
    });
    if (linked instanceof LinkLocked) {
      if (preferred !== 'html') return sendLocked(reply, linked);
      return sendOwnPage(reply, renderLockedPage(site, { path: pathOf(secret) }));
    }
    const visit = asked ? undefined : await visits.visitOf(request);
    if (visit && preferred === 'html' && (await needsNoLink(visit.actor, linked))) {
      return seeOther(reply, pathOfRef('read', refOf(linked)));
    }
    // The comments script requests JSON, and is redirected here after a comment is saved.
    const isScript = linked.link.access === 'comment' && visit && wantsJson(request);
    const format = isScript ? 'html' : preferred;
    const isPage = linked.document.kind === 'page';
    if (isPage && asked) throw nothingAtAddress();
    if (isPage && format !== 'html') return sendToHtml(reply, linked);
    if (format === 'markdown') return sendMarkdown(reply, linked);
    if (!visit || linked.link.access !== 'comment') {
      const viewer = visit ? { username: visit.actor.username } : 'signed out';
      return isPage
        ? showPage(request, reply, linked, secret, viewer)
        : showBrief(request, reply, linked, secret, viewer);
    }
    const call = callOf(context, { ...visit.actor, linkId: linked.link.id });
    return showDiscussed({ request: request as never, reply, visit, call }, linked, secret);
  });

  parts.post<LinkRoute>(
    path,
    async (asked) => {
      const { request, reply } = asked;
      const { secret } = request.params;
      reply.headers(HEADERS);
      const linked = await openLink(context, secret, unlockedLinks.of(request)).catch((error) => {
        // Asks for the password again, not to sign in.
        if (error instanceof LinkLocked && !wantsJson(request)) return undefined;
        throw error;
      });
      if (!linked) return seeOther(reply, pathOf(secret));
      const call = callOf(context, { ...asked.call.actor, linkId: linked.link.id });
      const visitor = { ...asked, call } as unknown as AppRequest<DocumentRoute>;
      const refuse = (refused: RefusedText) => showDiscussed(visitor, linked, secret, refused);
      return actOnThread(parts, visitor, refOf(linked), refuse, pathOf(secret));
    },
    async (request, reply) =>
      seeOther(
        reply.headers(HEADERS),
        signInPath(pathOf((request.params as LinkRoute['Params']).secret)),
      ),
    { bodyLimit: THREAD_FORM_BYTES, secretPath: true },
  );

  const unlock = async (request: FastifyRequest, reply: FastifyReply) => {
    const { secret } = request.params as LinkRoute['Params'];
    reply.headers(HEADERS);
    const { password } = readForm(request.body, ['password']);
    try {
      const { unlocked } = await unlockLink(context, secret, {
        password,
        address: request.ip,
        unlocked: unlockedLinks.of(request),
      });
      unlockedLinks.keep(reply, unlocked);
      return seeOther(reply, pathOf(secret));
    } catch (error) {
      const isAnswered = error instanceof LinkLocked || error instanceof TooManyAttempts;
      if (!isAnswered) throw error;
      // Not 401, which would require a WWW-Authenticate header.
      const status = error instanceof LinkLocked ? 422 : error.status;
      const page = { path: pathOf(secret), fault: error.message };
      return sendOwnPage(reply, renderLockedPage(site, page), status);
    }
  };
  parts.post<LinkRoute>(
    `${path}/password`,
    ({ request, reply }) => unlock(request, reply),
    unlock,
    {
      secretPath: true,
    },
  );

  /** Opens a link for a browser that has unlocked it, or for a program that sends the password. */
  async function openFor(request: FastifyRequest, secret: string): Promise<LinkedDocument> {
    const unlocked = unlockedLinks.of(request);
    const password = basicPassword(request.headers.authorization);
    if (password === undefined) return openLink(context, secret, unlocked);
    return unlockLink(context, secret, { password, address: request.ip, unlocked });
  }

  /** Tells whether someone can do at least what a link allows without it. */
  async function needsNoLink(actor: Actor, linked: LinkedDocument): Promise<boolean> {
    const own = await undefinedIfNotFound(
      requireDocument(context.sql.read, actor, refOf(linked), 'read'),
    );
    if (!own) return false;
    return linked.link.access === 'read' || allow(actor, 'editContent', own.document);
  }

  /** Redirects programs to a page's HTML. */
  async function sendToHtml(reply: FastifyReply, linked: LinkedDocument): Promise<FastifyReply> {
    return seeOther(reply, (await signedAddressOfLink(context, linked)).url);
  }

  /** Shows a page in its frame. */
  async function showPage(
    { headers }: FastifyRequest,
    reply: FastifyReply,
    linked: LinkedDocument,
    secret: string,
    viewer: Viewer,
  ): Promise<FastifyReply> {
    const typed = await findTypedPage(context, linked.document, headers[TYPED_TEXT]);
    const isTyped = typed !== undefined;
    const { url: source } = await signedAddressOfLink(context, linked, { isTyped });
    const { ownerNamespace: owner, name, title } = linked.document;
    const url = linkUrl(site.webUrl, secret);
    const shown = { owner, name, title: title ?? name, url, source };
    const signIn = viewer === 'signed out' ? signInToComment(linked, secret) : undefined;
    const { version } = linked.document;
    const live = { document: linked.document, version, typed, secret };
    const page = { ...shown, viewer, seenBy: 'link', signInPath: signIn, live } as const;
    return sendOwnPage(reply, renderFramePage(site, page));
  }

  async function sendMarkdown(reply: FastifyReply, linked: LinkedDocument): Promise<FastifyReply> {
    return reply
      .headers(webHeaders(context).markdown)
      .header('content-type', MARKDOWN_TYPE)
      .send(await readLinkedText(context, linked));
  }

  async function showBrief(
    request: FastifyRequest,
    reply: FastifyReply,
    linked: LinkedDocument,
    secret: string,
    viewer: Viewer,
  ): Promise<FastifyReply> {
    const { document } = linked;
    const source = await readLinkedText(context, linked);
    const base = baseOf(document);
    const brief = { document, text: source };
    const typed = await renderTyped(context, brief, request.headers[TYPED_TEXT], base);
    // Readers can be anonymous, so rendering counts against the owner.
    const key = `owner:${document.ownerNamespace}`;
    const outcome = typed?.outcome ?? (await context.markdown.renderOutcome(key, source, { base }));
    const html = renderLinkPage(site, {
      document,
      typed: typed?.state,
      viewer,
      secret,
      ...articleContent(outcome, { name: document.title ?? document.name, source }),
      markdownPath: `${pathOf(secret)}.md`,
      signInPath: signInToComment(linked, secret),
    });
    return sendOwnPage(reply.code(outcome.kind === 'busy' ? 503 : 200), html);
  }

  /** Shows a document with its comments to a signed-in user. */
  async function showDiscussed(
    asked: AppRequest<DocumentRoute>,
    linked: LinkedDocument,
    secret: string,
    refused?: RefusedText,
  ): Promise<FastifyReply> {
    const { call } = asked;
    const seen = await getDocument(call, refOf(linked));
    const base = baseOf(seen.document);
    const isPage = seen.document.kind === 'page';
    const asksFor = asked.request.headers[TYPED_TEXT];
    const typed = isPage ? undefined : await renderTyped(context, seen, asksFor, base);
    const loadText = async () => seen.text;
    const loaded = await loadDiscussion(call, seen.document, loadText, typed);
    const discussion = loaded && { ...loaded, action: pathOf(secret), refused };
    const names = await displayNamesOf(context, discussion ? writersOf(discussion) : []);
    if (isPage) {
      // The user can't comment, and there are no comments that they can see.
      if (!discussion) {
        const viewer = { username: call.actor.username };
        return showPage(asked.request, asked.reply, linked, secret, viewer);
      }
      const typed = await findTypedPage(context, seen.document, asksFor);
      const shows = { isReview: true, isTyped: typed !== undefined };
      const { title, name } = seen.document;
      const { url: source } = await signedAddressOfLink(context, linked, shows);
      const frame = { title: title ?? name, source };
      const { document } = seen;
      const page = linkedHtmlPage({ site, document, typed, secret, frame, discussion });
      return parts.show(asked, { ...page, names }, refused ? 422 : 200);
    }
    const outcome =
      typed?.outcome ?? (await context.markdown.previewOutcome(call.actor.id, seen.text, { base }));
    const page = linkedBriefPage({
      document: seen.document,
      typed: typed?.state,
      secret,
      content: articleContent(outcome, {
        name: seen.document.title ?? seen.document.name,
        source: seen.text,
      }),
      markdownPath: `${pathOf(secret)}.md`,
      discussion,
    });
    const status = outcome.kind === 'busy' ? 503 : 200;
    return parts.show(asked, { ...page, names }, refused ? 422 : status);
  }
}

/** Returns where a visitor signs in to comment, if the link allows commenting. */
function signInToComment({ link }: LinkedDocument, secret: string): string | undefined {
  return link.access === 'comment' ? signInPath(pathOf(secret)) : undefined;
}

/** Asks a program for the password (RFC 7617). */
function sendLocked(reply: FastifyReply, { message }: LinkLocked): FastifyReply {
  return reply
    .code(401)
    .headers({
      'www-authenticate': 'Basic realm="Secret link", charset="UTF-8"',
      'content-type': 'text/plain; charset=utf-8',
    })
    .send(
      `${message} Send it with HTTP Basic authentication and any username: curl -u :password\n`,
    );
}

/** Returns the password in an `Authorization` header; the username is ignored. */
function basicPassword(header: string | undefined): string | undefined {
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(header ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  return password;
}

function refOf({ document }: LinkedDocument) {
  const { kind, ownerNamespace: owner, name } = document;
  return { kind, owner, name };
}

/** Links in the brief lead to the public addresses, which lead those who can read on to the app. */
function baseOf({ ownerNamespace }: { ownerNamespace: string }): string {
  return `/${ownerNamespace}/`;
}

function pathOf(secret: string): string {
  return `/${LINK_SEGMENT}/${encodeURIComponent(secret)}`;
}
