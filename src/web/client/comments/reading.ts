/** A passage that a comment is to be about. */
export interface Passage {
  quote: string;
  prefix: string;
  suffix: string;
  /** In a brief: the `data-line` of the block that it begins in; 0 if it is in none. */
  line?: number;
  /** In a page: the element that it begins in, or that it is if there is no quote. */
  element?: string;
}

/** A rectangle in the window. */
export type Box = Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'>;

/** What comments stand beside: a brief, or a page in its frame. */
export interface Reading {
  /** Finds the passages of all cards again. */
  draw(): void;
  /** Sets cards beside their passages, where there is a margin; elsewhere one below the other. */
  align(isBeside: boolean): void;
  /** Emphasises the passage of one card, or of none. */
  emphasise(card: Element | undefined): void;
  /** Emphasises what is selected, while a comment on it is written. */
  emphasiseSelection(): void;
  /** Brings a card's passage into view. */
  reveal(card: Element): void;
  /** Describes what is selected. */
  selected(): Promise<Passage | undefined>;
  selectionBox(): Box | undefined;
  onSelection(hear: () => void): void;
  /** Lets the reader choose an element, where that is possible. */
  startPicking?(): void;
}

/** What the reader does in the text or the frame. */
export interface ReadingListener {
  /** Chose the passage of a card. */
  show(card: HTMLElement): void;
  /** Pressed a key in the frame. */
  press(key: string): void;
  /** Chose an element to comment on. */
  pick(passage: Passage): void;
}
