import type { FastifyReply } from 'fastify';
import type { Actor, Context } from '../../context.ts';
import { allow } from '../../document/access-rules.ts';
import type { DocumentRef } from '../../document/document-ref.ts';
import { type DocumentKind, KINDS } from '../../document/kind.ts';
import { VERDICTS } from '../../document/review/review.ts';
import { canReview } from '../../document/review/review-access.ts';
import { requireReview } from '../../document/review/review-authorize.ts';
import {
  getReviews,
  giveReview,
  requestReview,
  withdrawRequest,
} from '../../document/review/review-service.ts';
import {
  changeReviewSettings,
  getReviewSettings,
} from '../../document/review/review-setting-service.ts';
import { type Faults, faultsOf, isRefusal, readForm, requireChoice } from '../form.ts';
import { reviewPage } from '../pages/app/review-page.tsx';
import { pathOfRef } from './addresses.ts';
import type { AppParts, AppRequest } from './app-parts.ts';
import { addDocumentRoutes, type DocumentRoute } from './document-routes.ts';

/**
 * Adds `/review/…`, which shows a document's reviews, with the forms to review it, ask for reviews
 * and protect it.
 */
export function addReviewRoutes(parts: AppParts): void {
  const { context } = parts;
  addDocumentRoutes(parts, 'review', {
    get: (asked, ref) => showReviews(parts, asked, ref),
    async post(asked, ref) {
      const form = readForm(asked.request.body, ['verdict', 'revision', 'body']);
      const verdict = requireChoice(VERDICTS, form.verdict, 'verdict');
      const given = { verdict, revision: Number(form.revision) || 0, body: form.body };
      return orFaults(parts, asked, ref, async () => {
        await giveReview(context, asked.actor, ref, given);
        return verdict === 'approved'
          ? `You approved revision ${given.revision}.`
          : 'You requested changes.';
      });
    },
  });
  for (const kind of Object.values(KINDS)) addForms(parts, kind);
}

function addForms(parts: AppParts, { kind, webSegments }: DocumentKind): void {
  const { context, post, act } = parts;
  const path = `/${['review', ':owner', ...webSegments, ':name'].join('/')}`;
  const refOf = ({ request }: AppRequest<DocumentRoute>) => ({ kind, ...request.params });

  post<DocumentRoute>(`${path}/request`, async (asked) => {
    const { username, note } = readForm(asked.request.body, ['username', 'note']);
    const ref = refOf(asked);
    return orFaults(parts, asked, ref, async () => {
      await requestReview(context, asked.actor, ref, { username: username.trim(), note });
      return `Asked ${username.trim()} for a review.`;
    });
  });

  post<DocumentRoute>(`${path}/withdraw`, async (asked) => {
    const { username } = readForm(asked.request.body, ['username']);
    const ref = refOf(asked);
    return act(asked, pathOfRef('review', ref), async () => {
      await withdrawRequest(context, asked.actor, ref, username);
      return { message: `Request to ${username} withdrawn.` };
    });
  });

  post<DocumentRoute>(`${path}/protection`, async (asked) => {
    const form = readForm(asked.request.body, ['protected']);
    const ref = refOf(asked);
    return act(asked, pathOfRef('review', ref), async () => {
      const isOn = form.protected === 'on';
      await changeReviewSettings(context, asked.actor, ref, { protected: isOn });
      return { message: isOn ? `The ${kind} is protected.` : 'Protection removed.' };
    });
  });
}

/**
 * Runs the action of a form and redirects. If the service refuses, shows the page with the error.
 */
async function orFaults(
  parts: AppParts,
  asked: AppRequest<DocumentRoute>,
  ref: DocumentRef,
  work: () => Promise<string>,
): Promise<FastifyReply> {
  try {
    return parts.goOn(asked, pathOfRef('review', ref), { message: await work() });
  } catch (error) {
    if (!isRefusal(error) || error.code === 'NOT_FOUND') throw error;
    return showReviews(parts, asked, ref, {
      username: readForm(asked.request.body, ['username']).username,
      faults: faultsOf(error),
      status: error.status,
    });
  }
}

async function showReviews(
  parts: AppParts,
  asked: AppRequest<DocumentRoute>,
  ref: DocumentRef,
  form: { username: string; faults: Faults; status?: number } = { username: '', faults: {} },
): Promise<FastifyReply> {
  const page = await loadPage(parts.context, asked.actor, ref);
  return parts.show(asked, reviewPage({ ...page, form }), form.status ?? 200);
}

async function loadPage(context: Context, actor: Actor, ref: DocumentRef) {
  const { document, comments } = await requireReview(context.sql.read, actor, ref, 'see');
  const { state, revision, requests, reviews, isProtected } = await getReviews(context, actor, ref);
  const settings = await getReviewSettings(context, actor, ref);
  return {
    ...{ document, state, revision, requests, reviews, viewer: actor.username },
    rights: {
      review: canReview(document, comments, 'comment'),
      ask: allow(actor, 'editContent', document),
      configure: canReview(document, comments, 'configure'),
    },
    protection: { isOn: isProtected, isInherited: isProtected && !settings.protected },
  };
}
