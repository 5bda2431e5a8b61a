interface Window {
  /** Returns the first port of a frame beside comments (`frame-port.ts`). */
  takeReviewPort?: (frameOf: () => HTMLIFrameElement | null) => Promise<MessagePort>;
  /** The port of the frame that came with the screen. */
  reviewPort?: Promise<MessagePort>;
}
