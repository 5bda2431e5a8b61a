import type { Visibility } from '../../../document/access-rules.ts';
import type { Editor } from '../../../document/editing/editing-service.ts';
import type { Marks } from '../../../document/pin/pin-service.ts';
import type { ReviewState } from '../../../document/review/review.ts';
import type { NewSinceVisit } from '../../../document/revision/last-visit-service.ts';
import type { Titled } from '../../app/addresses.ts';

/** A document as a signed-in user sees it. */
export interface ShownDocument extends Titled {
  id: string;
  visibility: Visibility;
  updatedAt: string;
  /** A username; undefined when the account is gone. */
  updatedBy: string | undefined;
  sizeBytes: number;
  rights: { write: boolean; admin: boolean };
  canMove: boolean;
  /** Whether the reader can comment but not edit. */
  canOnlyPropose: boolean;
  version: number;
  /** Who else is editing it now; empty for readers who can't edit it. */
  editors: readonly Editor[];
  news: NewSinceVisit | undefined;
  /** The state of its reviews; undefined for readers who can't see them. */
  review: ReviewState | undefined;
  marks: Marks;
  /** Whether the reader's lists contain it. */
  isInsider: boolean;
}
