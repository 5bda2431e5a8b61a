import { Type } from 'typebox';
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
import { defineTool } from '../../surfaces/mcp/tool.ts';
import { feedbackSince } from '../review/feedback.ts';
import { proposeEdits } from '../review/proposal-service.ts';
import { resolving } from '../review/suggestion-service.ts';
import { EditRefused, makeEdits, tryEdits } from '../revisions/edit-service.ts';
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
  argumentNames: { content: 'edits', html: 'edits' },
  handler: async ({ context, actor, input }) => {
    const { base_revision: baseRevision, message, dry_run: isDryRun = false } = input;
    const ref = refOf(context, actor, input);
    const edits = readEdits(input.edits);
    const run = isDryRun ? tryEdits : makeEdits;
    const ifMatch = parseIfMatchArgument(input.if_match);
    if (input.propose) {
      for (const name of ['dry_run', 'resolves'] as const) {
        if (input[name]) throw invalidArgument(name, 'can’t be used with propose');
      }
      const offered = { edits, baseRevision, message };
      const { id, added, removed } = await proposeEdits(
        context,
        actor,
        ref,
        offered,
        ifMatch,
      ).catch((error: unknown) => {
        throw error instanceof EditRefused ? refusedEdit(error, edits) : error;
      });
      return {
        summary:
          `Proposed in thread ${id}. Lines added: ${added}; removed: ${removed}. Nothing is ` +
          'written until someone accepts it.',
        data: { thread: id, added, removed },
        quotations: [],
      };
    }
    const alongside = resolving(context, actor, input.resolves);
    const asked = { edits, baseRevision, message, alongside };
    const after = await run(context, actor, ref, asked, ifMatch).catch((error: unknown) => {
      throw error instanceof EditRefused ? refusedEdit(error, edits) : error;
    });
    const { document, merged, diff } = after;
    const { content, next } = firstPart(diff.unified, MAX_DIFF_BYTES);
    const { added, removed } = diff;
    const what = inWords(document);
    const done = isDryRun
      ? `Nothing was written. This would change in the ${what}`
      : `The ${what} is changed`;
    const others = merged
      ? ` Changes by others since revision ${baseRevision} were merged in: see changes_since.`
      : '';
    const { sentence: said, quotations } = await feedbackSince(context, actor, after, baseRevision);
    return {
      summary:
        `${done}, revision ${document.version}. Lines added: ${added}; removed: ` +
        `${removed}.${others}${said}`,
      data: {
        revision: document.version,
        merged,
        added,
        removed,
        isCut: diff.isCut || next !== null,
        document: presentSummary(context, after),
      },
      quotations: [...(content ? [{ what: 'a unified diff', text: content }] : []), ...quotations],
      links: [documentLink(document)],
    };
  },
});
