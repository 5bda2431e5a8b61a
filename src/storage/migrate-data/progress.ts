/** Told how far a long piece of work is. */
export interface Progress {
  /**
   * Another step begins.
   *
   * @param step what is being done, as `copying document`
   * @param total how much there is to do; `undefined` when that is not known
   */
  begin(step: string, total?: number): void;
  /** So much more of the step is done. */
  advance(count: number): void;
}
