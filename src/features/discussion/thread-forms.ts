import type { FastifyReply } from 'fastify';
import { FieldError } from '../../base/errors.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { ChangedSince } from '../../core/review/shown-service.ts';
import { REVIEW_LIMITS } from '../../core/review/thread.ts';
import { FORM_LIMIT_BYTES } from '../../surfaces/web/account-parts.ts';
import { pathOfRef } from '../../surfaces/web/addresses.ts';
import { type AppParts, type AppRequest, wantsJson } from '../../surfaces/web/app-parts.ts';
import type { DocumentRoute } from '../../surfaces/web/document-routes.ts';
import type { Flash } from '../../surfaces/web/flash.ts';
import { faultsOf, isCorrectable, readForm, requireChoice } from '../../surfaces/web/form.ts';
import { addComment, editComment, removeComment } from '../comments/comment-service.ts';
import type { RefusedText } from '../comments/discussion-state.ts';
import { openThread } from '../comments/new-thread-service.ts';
import type { Place } from '../comments/quote-service.ts';
import { placeThread, setThreadState } from '../comments/thread-change-service.ts';
import { shownRevision } from '../revisions/changed-since.ts';
import { showChangedSuggestion } from '../suggestions/proposal-view.ts';
import { acceptSuggestions, rejectSuggestions } from '../suggestions/suggestion-service.ts';

/** Percent-encoding takes up to three bytes for each byte of a comment and a replacement. */
export const THREAD_FORM_BYTES =
  3 * (REVIEW_LIMITS.bodyBytes + REVIEW_LIMITS.replacementBytes) + FORM_LIMIT_BYTES;

const ACTS = [
  'open',
  'reply',
  'resolve',
  'reopen',
  'accept',
  'reject',
  'acceptAll',
  'rejectAll',
  'edit',
  'delete',
  'place',
] as const;
/** These buttons are in the same form as a reply, which would be lost with them. */
const BESIDE_REPLY: readonly string[] = ['resolve', 'accept', 'reject'];
const FIELDS = [
  ...(['quote', 'element', 'body', 'replacement'] as const),
  ...(['prefix', 'suffix', 'line', 'revision'] as const),
];

/**
 * Handles a form beside a document: opens a thread, or acts on one.
 *
 * @param refuse shows the document again, with a text that was refused
 * @param path the forms' address, to redirect to afterwards
 */
export async function actOnThread(
  parts: AppParts,
  asked: AppRequest<DocumentRoute>,
  ref: DocumentRef,
  refuse: (refused: RefusedText) => Promise<FastifyReply>,
  path = pathOfRef('read', ref),
): Promise<FastifyReply> {
  const { context, act, goOn } = parts;
  const { call, request } = asked;
  const names = [
    ...(['act', 'thread', 'comment', 'body', 'quote', 'revision', 'expected'] as const),
    // `set` if suggestions that were made together are shown, and not the document.
    ...(['back'] as const),
  ] as const;
  const form = readForm(request.body, names);
  const choice = requireChoice(ACTS, form.act, 'act');
  if (choice === 'open') return open();
  const { comment, body, quote } = form;
  // Several only to accept or reject them together.
  const threads = form.thread.split(' ').slice(0, REVIEW_LIMITS.together);
  const [thread = ''] = threads;
  const hasReply = BESIDE_REPLY.includes(choice) && body.trim() !== '';
  const text = choice === 'place' ? quote : body;
  const inCard = { thread, comment, act: hasReply ? 'reply' : choice, text };
  const shown = { revision: shownRevision(form.revision), expected: form.expected.split(' ') };
  const place = `thread-${encodeURIComponent(thread)}`;
  const after =
    form.back === 'set'
      ? `${pathOfRef('propose', ref)}?thread=${encodeURIComponent(thread)}#${place}`
      : `${path}#${place}`;
  try {
    return await act(
      asked,
      after,
      change,
      text.trim() === ''
        ? undefined
        : (error) => refuse({ inCard: { ...inCard, fault: error.sentence } }),
    );
  } catch (error) {
    if (!(error instanceof ChangedSince) || wantsJson(request)) throw error;
    return showChangedSuggestion(parts, asked, ref, { threadId: thread, shown: shown.revision });
  }

  async function change(): Promise<Flash | undefined> {
    if (hasReply) {
      throw new FieldError('UNPROCESSABLE', 'body', 'send your reply first, or clear it.');
    }
    switch (choice) {
      case 'reply':
        await addComment(call, ref, thread, unixLines(body));
        return undefined;
      case 'edit':
        await editComment(call, ref, { threadId: thread, commentId: comment }, unixLines(body));
        return undefined;
      case 'delete':
        await removeComment(call, ref, { threadId: thread, commentId: comment });
        return { message: 'Comment deleted.' };
      case 'place':
        await placeThread(call, ref, thread, requirePlace());
        return { message: 'Moved to the new passage.' };
      case 'resolve':
        await setThreadState(call, ref, thread, 'resolved');
        return {
          message: 'Resolved.',
          undo: { action: path, fields: { act: 'reopen', thread } },
        };
      case 'reopen':
        await setThreadState(call, ref, thread, 'open');
        return { message: 'Reopened.' };
      case 'accept':
        return accept([thread], 'Accepted. The text has changed.');
      case 'acceptAll':
        return accept(threads, `Accepted ${threads.length} suggestions. The text has changed.`);
      case 'rejectAll':
        await rejectSuggestions(call, ref, threads, shown);
        return { message: `Rejected ${threads.length} suggestions.` };
      case 'reject':
        await rejectSuggestions(call, ref, [thread], shown);
        return {
          message: 'Rejected.',
          undo: { action: path, fields: { act: 'reopen', thread } },
        };
    }
  }

  /** Undo brings the text back; the suggestions stay closed. */
  async function accept(ids: readonly string[], message: string): Promise<Flash> {
    const before = (await requireDocument(context.sql.read, call.actor, ref, 'read')).document
      .version;
    const { version } = (await acceptSuggestions(call, ref, ids, shown)).document;
    if (version === before) return { message };
    const revisions = { revision: String(version - 1), over: String(version) };
    const fields = { act: 'restore', back: 'read', ...revisions };
    return { message, undo: { action: pathOfRef('history', ref), fields } };
  }

  function requirePlace(): Place {
    return placeOf(ref, readForm(request.body, FIELDS)) ?? { quote: '' };
  }

  async function open(): Promise<FastifyReply> {
    const fields = readForm(request.body, [...FIELDS, 'kind']);
    const { quote, element, replacement, kind } = fields;
    // Without the choice, a replacement makes it a suggestion. An empty one deletes the passage.
    const isSuggestion = kind === 'suggestion' || (kind === '' && replacement !== '');
    try {
      const thread = await openThread(call, ref, {
        body: fields.body.trim() === '' && isSuggestion ? undefined : unixLines(fields.body),
        on: placeOf(ref, fields),
        ...(isSuggestion && { replacement: unixLines(replacement) }),
      });
      const after = `${path}#thread-${thread.id}`;
      return wantsJson(request) ? act(asked, after, async () => undefined) : goOn(asked, after);
    } catch (error) {
      if (!isCorrectable(error) || wantsJson(request)) throw error;
      const { body } = fields;
      const faults = faultsOf(error);
      return refuse({ draft: { quote, element, body, replacement, isSuggestion, faults } });
    }
  }
}

/** Returns the place in a form; `undefined` for the whole document. */
function placeOf(
  { kind }: DocumentRef,
  fields: Record<(typeof FIELDS)[number], string>,
): Place | undefined {
  const { quote, element, prefix, suffix, line, revision } = fields;
  const [hasQuote, hasElement] = [quote.trim() !== '', element !== '' && kind === 'page'];
  if (!hasQuote && !hasElement) return undefined;
  const isNumber = (text: string) => /^\d{1,7}$/.test(text);
  return {
    ...(hasQuote && { quote: unixLines(quote), prefix, suffix }),
    // Scripts can add text to the page in the frame, so the quote may not be in its HTML.
    ...(hasElement && { element, unverified: true }),
    ...(isNumber(line) && { line: Number(line) }),
    ...(isNumber(revision) && { revision: Number(revision) }),
  };
}

/** Converts the CR LF of forms to LF. */
function unixLines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
