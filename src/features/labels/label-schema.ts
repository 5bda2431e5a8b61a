import { Type } from 'typebox';
import { Text } from '../../base/schema/fields.ts';
import { LABEL_LIMITS } from '../../base/schema/label.ts';

const EXAMPLES = [['draft', 'Release 2']];

export const Labels = Type.Object(
  {
    labels: Type.Array(Type.String(), {
      description: 'The labels, sorted; case is ignored.',
      examples: EXAMPLES,
    }),
  },
  { title: 'Labels' },
);

export const LabelsBody = Type.Object(
  {
    labels: Type.Array(Text({ description: 'A label.', maxLength: LABEL_LIMITS.characters }), {
      description:
        `The document’s labels, which replace its current ones: at most ${LABEL_LIMITS.perDocument}, ` +
        `of 1 to ${LABEL_LIMITS.characters} characters, without commas and line breaks. Case is ignored.`,
      maxItems: 100,
      examples: EXAMPLES,
    }),
  },
  { title: 'NewLabels', additionalProperties: false },
);

export const OwnerLabel = Type.Object(
  {
    label: Type.String({ description: 'The label.', examples: ['draft'] }),
    documents: Type.Integer({
      description: 'The number of briefs and pages with this label that you can see.',
      examples: [3],
    }),
  },
  { title: 'OwnerLabel' },
);

/** The query parameter that filters a list by label. */
export const LabelFilter = Type.Optional(
  Text({
    description: 'Only documents with this label; case is ignored.',
    examples: ['draft'],
  }),
);
