import { Type } from 'typebox';
import { Id, NullableTimestamp, OneOf, Text, Timestamp } from '../../base/schema/fields.ts';
import { pickFields } from '../../base/schema/pick-fields.ts';
import type { Takedown } from '../../core/document/takedown-store.ts';
import { MAX_REASON } from './takedown-service.ts';

/** A document that is taken down, in a list. */
export const TakedownSchema = Type.Object(
  {
    id: Id('The document’s id.'),
    documentType: OneOf(['brief', 'page'], 'What kind of document it is.'),
    ownerNamespace: Type.String({ description: 'The owner’s namespace.', examples: ['ada'] }),
    name: Type.String({ description: 'Its name.', examples: ['release-notes'] }),
    fullName: Type.String({ description: 'Owner and name.', examples: ['ada/release-notes'] }),
    takenDownAt: Timestamp('When it was taken down.'),
    reason: Type.String({ description: 'Why, for those who manage it.', examples: ['Spam.'] }),
    deletedAt: NullableTimestamp('When its owner deleted it; `null` if it isn’t in the trash.'),
  },
  { title: 'Takedown' },
);

export const TakeDownBody = Type.Object(
  {
    reason: Text({
      description: `Why, for those who manage the document: 1 to ${MAX_REASON} characters.`,
      minLength: 1,
      maxLength: MAX_REASON,
      examples: ['It has the addresses of others.'],
    }),
  },
  { title: 'TakeDown', additionalProperties: false },
);

export function presentTakedown(takedown: Takedown) {
  return pickFields(TakedownSchema, {
    ...takedown,
    documentType: takedown.kind,
    fullName: `${takedown.ownerNamespace}/${takedown.name}`,
    reason: takedown.takenDownReason,
  });
}
