interface Window {
  /** The port of the frame beside comments (`frame-port.ts`). */
  reviewPort?: Promise<MessagePort>;
}
