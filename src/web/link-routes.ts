import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Actor } from '../context.ts';
import { getDocument } from '../document/document-service.ts';
import { signedAddressOfLink } from '../document/page-service.ts';
import { LINK_SEGMENT, linkUrl } from '../document/sharing/link.ts';
import {
  type LinkedDocument,
  openLink,
  readLinkedText,
} from '../document/sharing/linked-document-service.ts';
import { nothingAtAddress } from '../errors.ts';
import { seeOther, sendOwnPage } from './account-parts.ts';
import type { AppParts, AppRequest } from './app/app-parts.ts';
import { loadDiscussion } from './app/discussion-view.ts';
import type { DocumentRoute } from './app/document-routes.ts';
import { actOnThread, THREAD_FORM_BYTES } from './app/thread-forms.ts';
import { MARKDOWN_TYPE, webHeaders } from './headers.ts';
import { preferredFormat } from './negotiation.ts';
import { signInPath } from './next-path.ts';
import type { Draft } from './pages/app/discussion-state.ts';
import { linkedBriefPage } from './pages/app/linked-page.tsx';
import { renderFramePage } from './pages/frame-page.tsx';
import { renderLinkPage } from './pages/link-page.tsx';

/**
 * Whoever has the address can read. So search engines, caches and other sites must not learn it.
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
 * Adds secret links (decision 024). Everyone sees the same page, except that signed-in people also
 * see the comments if the link allows commenting.
 */
export function addLinkRoutes(app: FastifyInstance, parts: AppParts): void {
  const { context, site, visits } = parts;
  const path = `/${LINK_SEGMENT}/:secret`;

  app.get<LinkRoute>(path, { config: { secretPath: true } }, async (request, reply) => {
    reply.headers(HEADERS).header('vary', 'Accept');
    const [, secret = '', suffix] = /^(.*?)(\.md)?$/s.exec(request.params.secret) ?? [];
    const linked = await openLink(context, secret);
    const asked = suffix !== undefined || request.query.format === 'md';
    const format = asked ? 'markdown' : preferredFormat(request.headers.accept);
    if (linked.document.kind === 'page') {
      if (asked) throw nothingAtAddress();
      return showPage(reply, linked, secret, format === 'html');
    }
    if (format === 'markdown') return sendMarkdown(reply, linked);
    const visit = linked.link.access === 'comment' ? await visits.visitOf(request) : undefined;
    if (!visit) return showBrief(reply, linked, secret);
    const actor = { ...visit.actor, linkId: linked.link.id };
    return showDiscussed({ request: request as never, reply, visit, actor }, linked, secret);
  });

  parts.post<LinkRoute>(
    path,
    async (asked) => {
      const { request, reply } = asked;
      const { secret } = request.params;
      reply.headers(HEADERS);
      const linked = await openLink(context, secret);
      const actor: Actor = { ...asked.actor, linkId: linked.link.id };
      const visitor = { ...asked, actor } as unknown as AppRequest<DocumentRoute>;
      const refuse = (draft: Draft) => showDiscussed(visitor, linked, secret, draft);
      return actOnThread(parts, visitor, refOf(linked), refuse, pathOf(secret));
    },
    async (request, reply) =>
      seeOther(
        reply.headers(HEADERS),
        signInPath(pathOf((request.params as LinkRoute['Params']).secret)),
      ),
    { bodyLimit: THREAD_FORM_BYTES, secretPath: true },
  );

  /** Shows a page in its frame. Redirects programs to its HTML. */
  async function showPage(
    reply: FastifyReply,
    linked: LinkedDocument,
    secret: string,
    isForPeople: boolean,
  ): Promise<FastifyReply> {
    const { url: source } = await signedAddressOfLink(context, linked);
    if (!isForPeople) return seeOther(reply, source);
    const { ownerNamespace: owner, name, title } = linked.document;
    const url = linkUrl(site.webUrl, secret);
    const shown = { owner, name, title: title ?? name, url, source };
    return sendOwnPage(reply, renderFramePage(site, { ...shown, seenBy: 'link' }));
  }

  async function sendMarkdown(reply: FastifyReply, linked: LinkedDocument): Promise<FastifyReply> {
    return reply
      .headers(webHeaders(context).markdown)
      .header('content-type', MARKDOWN_TYPE)
      .send(await readLinkedText(context, linked));
  }

  async function showBrief(
    reply: FastifyReply,
    linked: LinkedDocument,
    secret: string,
  ): Promise<FastifyReply> {
    const { document, link } = linked;
    const source = await readLinkedText(context, linked);
    // Readers can be anonymous, so rendering counts against the owner.
    const outcome = await context.markdown.renderOutcome(
      `owner:${document.ownerNamespace}`,
      source,
    );
    const rendered = outcome.kind === 'rendered' ? outcome.result : undefined;
    const html = renderLinkPage(site, {
      document,
      title: rendered?.title ?? document.name,
      html: rendered?.html,
      source,
      headings: rendered?.headings ?? [],
      math: rendered?.math ?? false,
      minutes: rendered?.minutes,
      markdownPath: `${pathOf(secret)}.md`,
      signInPath: link.access === 'comment' ? signInPath(pathOf(secret)) : undefined,
    });
    return sendOwnPage(reply, html);
  }

  /** Shows a brief with its comments to a signed-in user. */
  async function showDiscussed(
    asked: AppRequest<DocumentRoute>,
    linked: LinkedDocument,
    secret: string,
    draft?: Draft,
  ): Promise<FastifyReply> {
    const { actor } = asked;
    const seen = await getDocument(context, actor, refOf(linked));
    const discussion = await loadDiscussion(context, actor, seen.document, async () => seen.text);
    const outcome = await context.markdown.previewOutcome(actor.id, seen.text);
    const rendered = outcome.kind === 'rendered' ? outcome.result : undefined;
    const page = linkedBriefPage({
      document: seen.document,
      content: {
        title: rendered?.title ?? seen.document.name,
        html: rendered?.html,
        source: seen.text,
        headings: rendered?.headings ?? [],
        math: rendered?.math ?? false,
        minutes: rendered?.minutes,
      },
      markdownPath: `${pathOf(secret)}.md`,
      discussion: discussion && { ...discussion, action: pathOf(secret), draft },
    });
    return parts.show(asked, page, draft ? 422 : 200);
  }
}

function refOf({ document }: LinkedDocument) {
  const { kind, ownerNamespace: owner, name } = document;
  return { kind, owner, name };
}

function pathOf(secret: string): string {
  return `/${LINK_SEGMENT}/${encodeURIComponent(secret)}`;
}
