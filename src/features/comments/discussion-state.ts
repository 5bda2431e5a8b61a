import type { RenderedRange } from '../../base/markdown/quotes.ts';
import type { PageRange } from '../../base/text/page-quotes.ts';
import type { ThreadRow } from '../../core/review/thread-store.ts';
import type { Addressed } from '../../surfaces/web/addresses.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import type { CommentRow } from './comment-store.ts';

/** A passage in a rendered brief, or in a page's frame. */
export type ShownPlace = RenderedRange | (PageRange & { isElement: boolean });

/** A thread as the reading view shows it. */
export interface ShownThread extends ThreadRow {
  comments: (CommentRow & {
    /** Undefined if it is too complex to render. */
    html: string | undefined;
    /** Whether the reader wrote it and can change it. */
    isOwn: boolean;
  })[];
  /** Where its passage is shown, if it is shown. */
  place: ShownPlace | undefined;
  /** Its passage as a reader sees it. */
  words: string | null;
  /** Whether the reader has written in it. */
  isMine: boolean;
  /** Whether the reader can resolve or reopen it. */
  mayClose: boolean;
}

/** The threads of a document, for its reading view. */
export interface Discussion {
  document: Addressed & { id: string };
  /** The address of its forms. */
  action: string;
  version: number;
  /** What is shown of what is being typed, beyond that version. */
  typed?: string | undefined;
  /** The time, ISO 8601. */
  now: string;
  open: ShownThread[];
  closed: ShownThread[];
  /** Whether older comments were left out. */
  isCut: boolean;
  can: { comment: boolean; close: boolean; accept: boolean };
  /** A text that was refused, to show again. */
  refused?: RefusedText | undefined;
}

/** A text that was refused: of the form that opens a thread, or of one in a thread's card. */
export type RefusedText = { draft: Draft } | { inCard: CardDraft };

/** The fields of the form that opens a thread. */
export interface Draft {
  quote: string;
  element: string;
  body: string;
  replacement: string;
  isSuggestion: boolean;
  faults: Faults;
}

/** The text of a form in a thread's card. */
export interface CardDraft {
  thread: string;
  /** The comment that is edited; '' in other forms. */
  comment: string;
  act: string;
  text: string;
  /** Why it was refused, as a sentence. */
  fault: string;
}
