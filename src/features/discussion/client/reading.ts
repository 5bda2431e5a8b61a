/** A passage to comment on. */
export interface Passage {
  quote: string;
  prefix: string;
  suffix: string;
  /** In a brief: the `data-line` of the block that it begins in; 0 if there is none. */
  line?: number;
  /**
   * In a page: the path of the element that the passage begins in. Without a quote, that element is
   * the passage.
   */
  element?: string;
  /** The revision that it is in, if it is gone from the one on the screen. */
  revision?: number;
}

/** A rectangle in the window. */
export type Box = Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'>;

/** The document beside the comments: a brief, or a page in its frame. */
export interface Reading {
  /** Finds the passages of all cards again. */
  draw(): void;
  /**
   * Places cards beside their passages, or in a list if there is no margin.
   *
   * @param active the card that is exactly at its passage, while the others make room
   * @returns whether it is
   */
  align(isBeside: boolean, active?: Element): boolean;
  /** Emphasises the passage of one card, or of none. */
  emphasise(card: Element | undefined): void;
  /**
   * Emphasises the selection while its comment is written, and takes it as the place of the form.
   *
   * @returns the first card after it, and whether the form can stand there
   */
  holdSelection(): { isPlaced: boolean; before: Element | undefined };
  /** Brings a card's passage into view. */
  reveal(card: Element): void;
  /** Describes the selection. */
  selected(): Promise<Passage | undefined>;
  selectionBox(): Box | undefined;
  /** Ends the selection, once it has a comment. */
  clearSelection?(): void;
  onSelection(hear: () => void): void;
  /** Lets the reader choose an element, if that is possible. */
  startPicking?(): void;
}

/** Handles the reader's actions in the text or the frame. */
export interface ReadingListener {
  /** The reader clicked the passage of a card, or text that has none. */
  show(card: HTMLElement | undefined): void;
  /** The reader pressed a key in the frame. */
  press(key: string): void;
  /** The reader chose an element to comment on. */
  pick(passage: Passage): void;
}
