import { Type } from 'typebox';
import {
  Id,
  NullableId,
  NullableUsername,
  OneOf,
  Text,
  Timestamp,
} from '../../base/schema/fields.ts';
import { pickFields } from '../../base/schema/pick-fields.ts';
import type { TrashedRow } from './trash-store.ts';

/** A deleted document in a list. */
export const TrashedDocumentSchema = Type.Object(
  {
    id: Id('The document’s id, needed to restore it.'),
    documentType: OneOf(['brief', 'page'], 'What kind of document it is.'),
    name: Type.String({ description: 'The name it had.', examples: ['release-notes'] }),
    fullName: Type.String({ description: 'Owner and name.', examples: ['ada/release-notes'] }),
    deletedAt: Timestamp('When it was deleted.'),
    deletedBy: NullableId('The id of the user who deleted it; `null` if that account was deleted.'),
    deletedByUsername: NullableUsername('The username of the user who deleted it.'),
    expiresAt: Timestamp('When it will be permanently deleted.'),
  },
  { title: 'TrashedDocument' },
);

export const RestoreBody = Type.Object(
  {
    name: Type.Optional(
      Text({
        description: 'A new name, needed if another document has taken the old one.',
        examples: ['release-notes-2'],
      }),
    ),
  },
  { title: 'RestoreDocument', additionalProperties: false },
);

export function presentTrashed(document: TrashedRow & { expiresAt: string }) {
  return pickFields(TrashedDocumentSchema, {
    ...document,
    documentType: document.kind,
    fullName: `${document.ownerNamespace}/${document.name}`,
  });
}
