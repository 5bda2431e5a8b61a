/** Receives the progress of long work. */
export interface Progress {
  /**
   * Starts a step.
   *
   * @param step such as `copying document`
   * @param total `undefined` if unknown
   */
  begin(step: string, total?: number): void;
  advance(count: number): void;
}
