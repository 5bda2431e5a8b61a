import { type TProperties, Type } from 'typebox';
import { Text } from '../../base/schema/fields.ts';
import type { Edit } from '../../base/text/edits.ts';
import { RevisionNumber } from '../../core/revision/revision-schema.ts';

const passage = (description: string) => Text({ minLength: 1, description });
const content = Text({ description: 'The new text.' });
const block = Text({
  description:
    'The new text. Stands on lines of its own; in a brief after a blank line, unless it goes on with a list or table.',
});

const heading = passage(
  'The heading’s text, the start of its text, its anchor, its line and text (`5: Setup`), or its ' +
    'path (`Guide > Setup`).',
);

function operation(op: Edit['op'], fields: TProperties) {
  return Type.Object(
    { op: Type.Literal(op, { description: 'What to do.' }), ...fields },
    { additionalProperties: false },
  );
}

/** One change of a text. */
export const EditSchema = Type.Unsafe<Edit>(
  Type.Union(
    [
      operation('replace', {
        old: passage(
          'The current passage, as in the text. If it isn’t there exactly, the only passage is ' +
            'taken that differs in quotes, dashes, spaces, invisible signs or forms of letters, and only ' +
            'what differs between `old` and `new` changes; `warnings` says so.',
        ),
        new: Text({ description: 'The new passage; empty to remove the old one.' }),
        all: Type.Optional(
          Type.Boolean({
            description:
              'Replace every occurrence. By default, the passage must occur exactly once.',
          }),
        ),
      }),
      operation('insert', { before: passage('The passage to insert before.'), content }),
      operation('insert', { after: passage('The passage to insert after.'), content }),
      operation('append', { content: block }),
      operation('prepend', { content: block }),
      operation('section', {
        heading,
        mode: Type.Optional(
          Type.Union([Type.Literal('replace'), Type.Literal('append')], {
            default: 'replace',
            description: 'Replace what is under the heading, or add to its end.',
          }),
        ),
        content,
      }),
      operation('section', { heading, mode: Type.Literal('delete') }),
      operation('restore', {
        revision: RevisionNumber('The revision whose text to restore.'),
      }),
    ],
    { title: 'Edit' },
  ),
);
