import type { FastifyReply } from 'fastify';
import { nothingAtAddress } from '../../base/errors.ts';
import { isInsider, presentPermissions } from '../../core/document/access-rules.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { takeable } from '../../core/owner/policy-service.ts';
import { getProtection } from '../../core/review/protection-service.ts';
import { ChangedSince } from '../../core/review/shown-service.ts';
import { seeOther } from '../../surfaces/web/account-parts.ts';
import { comparePath, pathOfRef } from '../../surfaces/web/addresses.ts';
import { type AppParts, type AppRequest, wantsJson } from '../../surfaces/web/app-parts.ts';
import { addDocumentRoutes, type DocumentRoute } from '../../surfaces/web/document-routes.ts';
import type { Flash } from '../../surfaces/web/flash.ts';
import { pageNumberOf, readForm, requireChoice } from '../../surfaces/web/form.ts';
import { displayNamesOf } from '../profiles/own-profile-service.ts';
import { loadChangedSince, shownRevision } from './changed-since.ts';
import { comparisonPage } from './comparison-page.tsx';
import { comparePages, compareRevisions } from './comparison-service.ts';
import { erasedInWords, erasePage } from './erase-page.tsx';
import { findRepetitions } from './erasure-service.ts';
import { changedRestorePage, HISTORY_SIZE, historyPage, pinPage } from './history-page.tsx';
import { getHistory } from './history-service.ts';
import {
  eraseRevision,
  listRevisions,
  pinRevision,
  requireRevision,
  restoreRevision,
} from './revision-service.ts';

const ACTS = ['restore', 'pin', 'unpin', 'erase'] as const;

/** How many revisions the menus of a comparison offer. */
const MOST_CHOICES = 100;

/**
 * Adds `/history/…`, which lists a document's revisions or, with `?from=&to=`, compares two of
 * them. Its forms restore, pin and erase revisions.
 */
export function addHistoryRoutes(parts: AppParts): void {
  const { context } = parts;

  async function list(
    asked: AppRequest<DocumentRoute>,
    ref: DocumentRef,
    page: number,
  ): Promise<FastifyReply> {
    const { call } = asked;
    const slice = { number: page, size: HISTORY_SIZE };
    const history = await getHistory(call, ref, slice);
    const { document, level, revisions, sittings } = history;
    const { write, admin } = presentPermissions(level);
    const { isOwn, isInherited } = await getProtection(context, document);
    const erase = admin && (await takeable(context.sql.read, [document])).size > 0;
    const shown = historyPage({
      document,
      revisions: { ...revisions, page },
      sittings,
      webUrl: context.webUrl,
      now: context.now(),
      rights: { insider: isInsider(document), write, admin, erase },
      isProtected: admin && (isOwn || isInherited),
    });
    const names = await displayNamesOf(
      context,
      revisions.items.map(({ author }) => author),
    );
    return parts.show(asked, { ...shown, names });
  }

  async function askToErase(
    asked: AppRequest<DocumentRoute>,
    ref: DocumentRef,
    number: number,
  ): Promise<FastifyReply> {
    const { document } = await requireDocument(
      context.sql.read,
      asked.call.actor,
      ref,
      'eraseRevision',
    );
    const { revision } = await requireRevision(asked.call, ref, number);
    const repetitions = await findRepetitions(asked.call, ref, number);
    return parts.show(asked, erasePage(document, revision, repetitions));
  }

  /** Asks before an unapproved text of a protected document becomes readable at its own address. */
  async function askToPin(
    asked: AppRequest<DocumentRoute>,
    ref: DocumentRef,
    number: number,
  ): Promise<FastifyReply> {
    const { document } = await requireDocument(context.sql.read, asked.call.actor, ref, 'pin');
    const { revision } = await requireRevision(asked.call, ref, number);
    return parts.show(asked, pinPage(document, revision));
  }

  async function compare(
    asked: AppRequest<DocumentRoute>,
    ref: DocumentRef,
    numbers: { from: number; to: number },
  ): Promise<FastifyReply> {
    if (ref.kind === 'page' && wantsJson(asked.request)) {
      const changes = await comparePages(asked.call, ref, numbers);
      return asked.reply.header('cache-control', 'private, no-store').send({ changes });
    }
    const { document, level, ...compared } = await compareRevisions(asked.call, ref, numbers);
    const { write } = presentPermissions(level);
    const { from, to } = compared;
    const names = await displayNamesOf(context, [from.author, to.author]);
    const latest = { number: 1, size: MOST_CHOICES };
    const { items: choices } = await listRevisions(asked.call, ref, latest);
    const page = comparisonPage({ document, ...compared, choices, rights: { write } });
    return parts.show(asked, { ...page, names });
  }

  /** Compares the oldest and the newest that were selected in the list; one, with the current. */
  async function comparePicked(
    asked: AppRequest<DocumentRoute>,
    ref: DocumentRef,
    picked: unknown,
  ): Promise<FastifyReply> {
    const numbers = [picked].flat().map(requireNumber);
    const { document } = await requireDocument(context.sql.read, asked.call.actor, ref, 'read');
    const to = numbers.length > 1 ? Math.max(...numbers) : document.version;
    const compared = { ...document, kind: ref.kind };
    return seeOther(asked.reply, comparePath(compared, Math.min(...numbers), to));
  }

  addDocumentRoutes(parts, 'history', {
    get: async (asked, ref) => {
      const { erase, pin, page, from, to, pick } = asked.request.query;
      if (pick !== undefined) return comparePicked(asked, ref, pick);
      if (from !== undefined || to !== undefined) {
        return compare(asked, ref, { from: requireNumber(from), to: requireNumber(to) });
      }
      if (erase !== undefined) return askToErase(asked, ref, requireNumber(erase));
      if (pin !== undefined) return askToPin(asked, ref, requireNumber(pin));
      return list(asked, ref, pageNumberOf(page));
    },
    post: async (asked, ref) => {
      const form = readForm(asked.request.body, ['act', 'revision', 'over', 'back']);
      const number = requireNumber(form.revision);
      const over = shownRevision(form.over);
      const act = (): Promise<Flash> => {
        switch (requireChoice(ACTS, form.act, 'act')) {
          case 'restore':
            return restore(asked, ref, number, over);
          case 'pin':
            return pin(asked, ref, number, true);
          case 'unpin':
            return pin(asked, ref, number, false);
          case 'erase':
            return erase(asked, ref, number);
        }
      };
      try {
        const back = form.back === 'read' ? 'read' : 'history';
        return await parts.act(asked, pathOfRef(back, ref), act);
      } catch (error) {
        if (!(error instanceof ChangedSince) || wantsJson(asked.request)) throw error;
        return showChanged(asked, ref, { number, over });
      }
    },
  });

  /** @param over the current revision as it was shown */
  async function restore(
    { call }: AppRequest<DocumentRoute>,
    ref: DocumentRef,
    number: number,
    over: number,
  ): Promise<Flash> {
    const before = (await requireDocument(context.sql.read, call.actor, ref, 'editContent'))
      .document;
    const { document } = await restoreRevision(call, ref, number, { shown: over });
    if (document.version === before.version) {
      return { message: `The current text is the same as that of revision ${number}.` };
    }
    const fields = {
      act: 'restore',
      revision: String(before.version),
      over: String(document.version),
    };
    return {
      message: `Restored revision ${number}.`,
      undo: { action: pathOfRef('history', ref), fields },
    };
  }

  /** Shows what has changed since the history was opened, and offers to restore again. */
  async function showChanged(
    asked: AppRequest<DocumentRoute>,
    ref: DocumentRef,
    { number, over }: { number: number; over: number },
  ): Promise<FastifyReply> {
    const { document } = await requireDocument(
      context.sql.read,
      asked.call.actor,
      ref,
      'editContent',
    );
    const view = await loadChangedSince(asked.call, document, over);
    return parts.show(asked, changedRestorePage(view, number), 409);
  }

  async function pin(
    { call }: AppRequest<DocumentRoute>,
    ref: DocumentRef,
    number: number,
    pinned: boolean,
  ): Promise<Flash> {
    await pinRevision(call, ref, number, pinned);
    if (pinned) {
      const message =
        `Pinned revision ${number}. Anyone who can read the ${ref.kind} can read it, ` +
        'and its link keeps this text.';
      return { message, undo: undoOf('unpin') };
    }
    return { message: `Unpinned revision ${number}.`, undo: undoOf('pin') };

    function undoOf(act: 'pin' | 'unpin') {
      return { action: pathOfRef('history', ref), fields: { act, revision: String(number) } };
    }
  }

  async function erase(
    { call }: AppRequest<DocumentRoute>,
    ref: DocumentRef,
    number: number,
  ): Promise<Flash> {
    const repetitions = await eraseRevision(call, ref, number);
    return { message: erasedInWords(number, repetitions) };
  }
}

/** @throws NOT_FOUND if it is not the number of a revision */
function requireNumber(text: unknown): number {
  if (typeof text === 'string' && /^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw nothingAtAddress();
}
