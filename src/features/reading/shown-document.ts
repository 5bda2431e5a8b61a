import type { Visibility } from '../../base/schema/visibility.ts';
import type { DocumentAccess } from '../../core/document/shown-link-service.ts';
import type { Titled } from '../../surfaces/web/addresses.ts';
import type { Marks } from '../pins/pin-service.ts';
import type { ReviewBarView } from '../reviews/review-bar-service.ts';
import type { NewSinceVisit } from '../revisions/last-visit-service.ts';

/** A document as a signed-in user sees it. */
export interface ShownDocument extends Titled {
  id: string;
  visibility: Visibility;
  access: DocumentAccess;
  updatedAt: string;
  /** A username; undefined when the account is gone. */
  updatedBy: string | undefined;
  sizeBytes: number;
  rights: { write: boolean; admin: boolean };
  canMove: boolean;
  canDelete: boolean;
  /** Whether the reader can take it down, as an administrator of the instance. */
  canTakeDown: boolean;
  /** Whether the reader can comment but not edit. */
  canOnlyPropose: boolean;
  /** Whether the reader can tick the tasks of a brief where they read. */
  canTick?: boolean;
  version: number;
  /** What is shown of what is being typed, beyond that version (`typedState`). */
  typed?: string | undefined;
  /** The feed's position before it was loaded. */
  position: number;
  news: NewSinceVisit | undefined;
  /** What its reviews say; undefined for readers who can't see them. */
  review: ReviewBarView | undefined;
  marks: Marks;
  /** The documents that link to it, of those that the reader can read. */
  linkedFrom: readonly Titled[];
  /** Whether the reader's lists contain it. */
  isInsider: boolean;
}
