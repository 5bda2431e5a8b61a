import { setImmediate } from 'node:timers/promises';
import { Type } from 'typebox';
import { editDocument as changeText } from '../../document/document-change-service.ts';
import { parseIfMatchArgument } from '../../http/conditional.ts';
import { applyEdits } from '../../text/edits.ts';
import { invalidArgument } from '../arguments.ts';
import {
  DocumentArguments,
  DocumentSummary,
  documentLink,
  IfMatchArgument,
  inWords,
  presentSummary,
  refOf,
} from '../document.ts';
import { defineTool } from '../tool.ts';

const MAX_EDITS = 50;

export const editDocument = defineTool({
  name: 'edit_document',
  title: 'Edit a document',
  description:
    'Replaces passages of a document’s text without sending the rest of it. Each old_text must be ' +
    'there exactly once, letter for letter; the edits are made one after the other, all or none. ' +
    'Other changes that were saved since you read it stay, so if_match is rarely needed. ' +
    'Read the passage with read_document first.',
  scope: 'documents:write',
  effect: { destroys: true },
  input: Type.Object(
    {
      ...DocumentArguments,
      edits: Type.Array(
        Type.Object(
          {
            old_text: Type.String({
              minLength: 1,
              description: 'What stands there now, with enough around it to be there only once.',
            }),
            new_text: Type.String({ description: 'What is to stand there; empty to remove it.' }),
          },
          { additionalProperties: false },
        ),
        { minItems: 1, maxItems: MAX_EDITS, description: 'The changes, in order.' },
      ),
      if_match: IfMatchArgument,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    edits: Type.Integer({ description: 'How many changes were made.' }),
    document: DocumentSummary,
  }),
  argumentNames: { content: 'edits', html: 'edits' },
  handler: async ({ context, actor, input }) => {
    const ref = refOf(context, actor, input);
    const ifMatch = parseIfMatchArgument(input.if_match);
    const apply = async ({ text }: { text: string }) => ({
      input: { content: await edited(text, input.edits) },
    });
    const seen = await changeText(context, actor, ref, apply, ifMatch);
    return {
      summary: `The ${inWords(seen.document)} is changed. Edits made: ${input.edits.length}.`,
      data: { edits: input.edits.length, document: presentSummary(context, seen) },
      links: [documentLink(seen.document)],
    };
  },
});

/** A text with every edit made. @throws BAD_REQUEST for a passage that is not there exactly once */
async function edited(
  text: string,
  edits: { old_text: string; new_text: string }[],
): Promise<string> {
  let result = text;
  for (const [index, { old_text, new_text }] of edits.entries()) {
    const applied = applyEdits(result, [{ op: 'replace', old: old_text, new: new_text }]);
    if ('problem' in applied) {
      const problem =
        applied.problem === 'not-found'
          ? 'is not in the text. Read it again; it must be the same letter for letter'
          : 'is in the text more than once. Give more of what stands around it';
      throw invalidArgument(`edits.${index}.old_text`, `${problem}. No edit was made`);
    }
    result = applied.text;
    // A search through megabytes takes a while; others get their turn in between.
    await setImmediate();
  }
  return result;
}
