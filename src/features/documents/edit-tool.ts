import { Type } from 'typebox';
import { ServiceError } from '../../base/errors.ts';
import { byWords } from '../../base/text/conflict-lines.ts';
import type { EditNote } from '../../base/text/edits.ts';
import type { Call } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { warningsAbout } from '../../core/document/warning-service.ts';
import { requireReview } from '../../core/review/review-authorize.ts';
import { parseIfMatchArgument } from '../../surfaces/http/conditional.ts';
import { invalidArgument } from '../../surfaces/mcp/arguments.ts';
import {
  BaseRevisionArgument,
  DocumentArguments,
  documentLink,
  IfMatchArgument,
  inWords,
  MessageArgument,
  presentSummary,
  ResolvesArgument,
  refOf,
} from '../../surfaces/mcp/document.ts';
import { firstPart } from '../../surfaces/mcp/excerpt.ts';
import { AdvisedError } from '../../surfaces/mcp/failure.ts';
import { AnyObject } from '../../surfaces/mcp/paging.ts';
import { defineTool } from '../../surfaces/mcp/tool.ts';
import { warningsForModel } from '../../surfaces/mcp/warnings.ts';
import { feedbackSince } from '../discussion/feedback.ts';
import { proposeEdits } from '../proposals/proposal-service.ts';
import { EditRefused, makeEdits, tryEdits, warningsOf } from '../revisions/edit-service.ts';
import { resolving } from '../suggestions/suggestion-service.ts';
import { EditsArgument, readEdits, refusedEdit } from './edits.ts';

const MAX_DIFF_BYTES = 4 * 1024;

export const editDocument = defineTool({
  name: 'edit_document',
  title: 'Edit a document',
  description:
    'Changes passages or sections of a text, or restores an older one; returns a diff. Read it ' +
    'first, and give that revision as base_revision: later changes by others are merged, and ' +
    'their comments returned. If they changed the same lines, nothing is written.',
  scope: 'documents:write',
  scopeOf: ({ propose }) => (propose === true ? 'comments' : 'documents:write'),
  otherScopes: ['comments'],
  opensLinks: ({ propose }) => propose === true,
  effect: { destroys: true, bringsIn: true },
  input: Type.Object(
    {
      ...DocumentArguments,
      edits: EditsArgument,
      base_revision: BaseRevisionArgument,
      message: MessageArgument,
      resolves: ResolvesArgument,
      dry_run: Type.Optional(Type.Boolean({ description: 'Only show what would change.' })),
      propose: Type.Optional(Type.Boolean({ description: 'Offer it; someone else accepts.' })),
      if_match: IfMatchArgument,
    },
    { additionalProperties: false },
  ),
  reading: Type.Object({
    revision: Type.Optional(Type.Integer()),
    merged: Type.Optional(Type.Boolean()),
    added: Type.Integer(),
    removed: Type.Integer(),
    isCut: Type.Optional(Type.Boolean()),
    document: Type.Optional(AnyObject),
    thread: Type.Optional(Type.String()),
  }),
  argumentNames: { content: 'edits', html: 'edits' },
  handler: async ({ call, input }) => {
    const { base_revision: baseRevision, message, dry_run: isDryRun = false } = input;
    const ref = refOf(call, input);
    const edits = readEdits(input.edits);
    const run = isDryRun ? tryEdits : makeEdits;
    const ifMatch = parseIfMatchArgument(input.if_match);
    if (input.propose) {
      for (const name of ['dry_run', 'resolves'] as const) {
        if (input[name]) throw invalidArgument(name, 'can’t be used with propose');
      }
      const offered = { edits, baseRevision, message };
      const { thread, notes, ...base } = await proposeEdits(call, ref, offered, ifMatch).catch(
        (error: unknown) => {
          throw error instanceof EditRefused ? refusedEdit(error, edits) : error;
        },
      );
      const { id, added, removed } = thread;
      return {
        summary:
          `Proposed in thread ${id}. Lines added: ${added}; removed: ${removed}. Nothing is ` +
          `written until someone accepts it.${told(notes, base.baseRevision)}`,
        data: { thread: id, added, removed },
        quotations: [],
      };
    }
    const alongside = resolving(call, input.resolves);
    const asked = { edits, baseRevision, message, alongside };
    const after = await run(call, ref, asked, ifMatch).catch(async (error: unknown) => {
      if (error instanceof EditRefused) throw refusedEdit(error, edits);
      throw (await canOffer(call, ref, error)) ? new OfferInstead() : error;
    });
    const { document, merged, wordLines, diff } = after;
    const { content, next } = firstPart(diff.unified, MAX_DIFF_BYTES);
    const { added, removed } = diff;
    const what = inWords(document);
    const isSame = added + removed === 0;
    const done = isDryRun
      ? `Nothing was written. ${isSame ? 'Nothing' : 'This'} would change in the ${what}`
      : `The ${what} is ${isSame ? 'not changed: it has this text already' : 'changed'}`;
    const since = baseRevision === undefined ? 'by others' : `since revision ${baseRevision}`;
    const others = merged
      ? ` Changes ${since} were merged in${byWords(wordLines)}: see changes_since.`
      : '';
    const before = baseRevision ?? (isDryRun ? document.version : document.version - 1);
    const { sentence: said, quotations } = await feedbackSince(call, after, baseRevision);
    const warned = warningsForModel(await warningsAbout(call, after));
    return {
      summary:
        `${done}, revision ${document.version}. Lines added: ${added}; removed: ` +
        `${removed}.${others}${told(after.notes, before)}${said}${warned.sentence}`,
      data: {
        revision: document.version,
        merged,
        added,
        removed,
        isCut: diff.isCut || next !== null,
        document: presentSummary(call, after),
      },
      quotations: [
        ...(content ? [{ what: 'a unified diff', text: content }] : []),
        ...quotations,
        ...warned.quotations,
      ],
      links: [documentLink(document)],
    };
  },
});

/** Says what to know about applied edits. @param revision the text before them */
function told(notes: readonly EditNote[], revision: number): string {
  return warningsOf(notes, revision)
    .map(({ message }) => ` ${message}`)
    .join('');
}

/** The caller can't write, but comment. */
class OfferInstead extends AdvisedError {
  constructor() {
    super('FORBIDDEN', 'You can’t change this document.', OFFER);
  }
}

const OFFER = 'To offer the edits, call again with propose: true. Someone else accepts them.';

/** Tells whether someone who may not edit a document can propose edits of it. */
async function canOffer(call: Call, ref: DocumentRef, error: unknown): Promise<boolean> {
  const isForbidden = error instanceof ServiceError && error.code === 'FORBIDDEN';
  if (!isForbidden || !call.actor.scopes.includes('comments')) return false;
  return requireReview(call.sql.read, call.actor, ref, 'comment').then(
    () => true,
    () => false,
  );
}
