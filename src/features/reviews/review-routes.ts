import type { FastifyReply } from 'fastify';
import { FieldError } from '../../base/errors.ts';
import { findHiddenText } from '../../base/markdown/hidden-text.ts';
import { type DocumentKind, KINDS } from '../../base/schema/kind.ts';
import type { Call } from '../../core/context.ts';
import { allow } from '../../core/document/access-rules.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { getDocument } from '../../core/document/document-service.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { getLeftAddresses } from '../../core/review/protection-service.ts';
import { VERDICTS } from '../../core/review/review.ts';
import { canReview } from '../../core/review/review-access.ts';
import { requireReview } from '../../core/review/review-authorize.ts';
import { ChangedSince, isCurrentText } from '../../core/review/shown-service.ts';
import { pathOfRef } from '../../surfaces/web/addresses.ts';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import { addDocumentRoutes, type DocumentRoute } from '../../surfaces/web/document-routes.ts';
import { faultsOf, isRefusal, readForm, requireChoice } from '../../surfaces/web/form.ts';
import {
  loadChangedSince,
  revisionSeen,
  type SeenQuery,
  shownRevision,
} from '../revisions/changed-since.ts';
import { recordVisit } from '../revisions/last-visit-service.ts';
import { inWords, type ReviewPage, reviewPage } from './review-page.tsx';
import { getReviews, giveReview, requestReview, withdrawRequest } from './review-service.ts';
import { changeReviewSettings, getReviewSettings } from './review-setting-service.ts';

/**
 * Adds `/review/…`, which shows a document's reviews, with the forms to review it, ask for reviews
 * and protect it.
 */
export function addReviewRoutes(parts: AppParts): void {
  const { context } = parts;
  addDocumentRoutes(parts, 'review', {
    get: (asked, ref) => showReviews(parts, asked, ref, { shown: asked.request.query }),
    async post(asked, ref) {
      const form = readForm(asked.request.body, ['verdict', 'revision', 'body', 'back']);
      const verdict = requireChoice(VERDICTS, form.verdict, 'verdict');
      const { body } = form;
      const given = { verdict, revision: shownRevision(form.revision), body };
      return orFaults(parts, asked, ref, given, async () => {
        await giveReview(asked.call, ref, given);
        const { document } = await requireReview(context.sql.read, asked.call.actor, ref, 'see');
        // The page showed everything that was new in this text.
        await recordVisit(asked.call, { ...document, version: given.revision });
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
    const { username, note } = readForm(asked.request.body, ['username', 'note', 'back']);
    const ref = refOf(asked);
    return orFaults(parts, asked, ref, {}, async () => {
      await requestReview(asked.call, ref, { username: username.trim(), note });
      return `Asked ${username.trim()} for a review.`;
    });
  });

  post<DocumentRoute>(`${path}/withdraw`, async (asked) => {
    const { username } = readForm(asked.request.body, ['username']);
    const ref = refOf(asked);
    return act(asked, pathOfRef('review', ref), async () => {
      await withdrawRequest(asked.call, ref, username);
      return { message: `Request to ${username} withdrawn.` };
    });
  });

  const protect = async (asked: AppRequest<DocumentRoute>) => {
    const form = readForm(asked.request.body, ['protected', 'twoPeople']);
    const ref = refOf(asked);
    return act(asked, pathOfRef('review', ref), async () => {
      if (form.twoPeople !== '') {
        const twoPeople = form.twoPeople === 'on';
        await changeReviewSettings(asked.call, ref, { twoPeople });
        const who = twoPeople ? 'A second person has to approve.' : 'Authors can approve alone.';
        return { message: who };
      }
      const isOn = form.protected === 'on';
      const { document } = await requireDocument(context.sql.read, asked.call.actor, ref, 'share');
      const left = isOn ? [] : await getLeftAddresses(context, document);
      await changeReviewSettings(asked.call, ref, { protected: isOn });
      if (isOn) return { message: `The ${kind} is protected.` };
      return {
        message: `Protection removed${left.length > 0 ? `, also of ${inWords(left)}` : ''}.`,
      };
    });
  };
  const weaken = parts.proven(protect);
  post<DocumentRoute>(`${path}/protection`, (asked) => {
    const form = readForm(asked.request.body, ['protected', 'twoPeople']);
    return form.protected === 'on' || form.twoPeople === 'on' ? protect(asked) : weaken(asked);
  });
}

/**
 * Runs the action of a form and redirects. If the service refuses, shows the page with the error.
 *
 * @param given the verdict, if it is one
 */
async function orFaults(
  parts: AppParts,
  asked: AppRequest<DocumentRoute>,
  ref: DocumentRef,
  given: { revision?: number; body?: string },
  work: () => Promise<string>,
): Promise<FastifyReply> {
  try {
    const message = await work();
    // The bar above the document has these forms, too.
    const { back } = readForm(asked.request.body, ['back']);
    return parts.goOn(asked, pathOfRef(back === 'read' ? 'read' : 'review', ref), { message });
  } catch (error) {
    if (!isRefusal(error) || error.code === 'NOT_FOUND') throw error;
    if (error instanceof FieldError && error.field === 'documentId') {
      const flash = { message: error.sentence, isFault: true };
      return parts.goOn(asked, pathOfRef('read', ref), flash);
    }
    const form = {
      username: readForm(asked.request.body, ['username']).username,
      ...(given.body !== undefined && { body: given.body }),
      // The page shows what has changed.
      faults: error instanceof ChangedSince ? {} : faultsOf(error),
    };
    const shown = { revision: String(given.revision ?? '') };
    return showReviews(parts, asked, ref, { shown, form, status: error.status });
  }
}

/** What a request says was seen, and whether its verdict was refused. */
interface Given {
  shown: SeenQuery;
  isRefused: boolean;
}

const NOTHING_SENT = { username: '', faults: {} };

/** @param shown what the reader has seen, if the request says so */
async function showReviews(
  parts: AppParts,
  asked: AppRequest<DocumentRoute>,
  ref: DocumentRef,
  {
    shown = {},
    form = NOTHING_SENT,
    status = 200,
  }: { shown?: SeenQuery; form?: ReviewPage['form']; status?: number },
): Promise<FastifyReply> {
  const given = { shown, isRefused: status === 409 };
  const page = await loadPage(asked.call, ref, given);
  return parts.show(asked, reviewPage({ ...page, form }), status);
}

async function loadPage(call: Call, ref: DocumentRef, given: Given) {
  const { actor } = call;
  const { read } = call.sql;
  const { document, comments } = await requireReview(read, actor, ref, 'see');
  const { state, requests, reviews, isProtected, twoPeople, unapproved } = await getReviews(
    call,
    ref,
  );
  const settings = await getReviewSettings(call, ref);
  const canGive = canReview(document, comments, 'comment');
  const source =
    canGive && document.kind === 'brief' ? (await getDocument(call, ref)).text : undefined;
  const seen = await revisionSeen(call, document, given.shown);
  return {
    document,
    state,
    revision: document.version,
    requests,
    reviews,
    viewer: actor.username,
    isOwnText: document.updatedBy === actor.id,
    isOfOrganization: document.ownerType === 'organization',
    hidden:
      source === undefined ? undefined : await findHiddenText(call.markdown, actor.id, source),
    shown: await shownSince(call, document, seen, given.isRefused),
    rights: {
      review: canGive,
      ask: allow(actor, 'editContent', document),
      configure: canReview(document, comments, 'configure'),
    },
    protection: {
      isOn: isProtected,
      isInherited: isProtected && !settings.protected,
      twoPeople,
      unapproved,
      left:
        settings.protected && canReview(document, comments, 'configure')
          ? await getLeftAddresses(call, document)
          : [],
    },
  };
}

/** Returns what has changed since a revision was seen; `undefined` if none was. */
async function shownSince(
  call: Call,
  document: DocumentRow,
  revision: number,
  isRefused: boolean,
): Promise<ReviewPage['shown']> {
  if (revision === 0 || revision > document.version) return undefined;
  if (await isCurrentText(call.sql.read, document, revision)) return 'current';
  return loadChangedSince(call, document, revision, isRefused);
}
