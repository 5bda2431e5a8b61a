/** How often to add a line to a log, and to rewrite the line at a terminal. */
const LINE_EVERY_MS = 5_000;
const REWRITE_EVERY_MS = 100;

/** Moves to the start of the line and clears it. */
const REWRITE = '\r\x1b[K';

/** Shows a command's progress on standard error. Standard output is for results. */
export class ProgressLine {
  #step = '';
  #total: number | undefined;
  #done = 0;
  #shownAt = Date.now();

  /** @param total `undefined` if unknown */
  begin(step: string, total?: number): void {
    this.#step = step;
    this.#total = total;
    this.#done = 0;
    this.#showAtTimes();
  }

  advance(count: number): void {
    this.#done += count;
    this.#showAtTimes();
  }

  /** Clears the line at a terminal. */
  end(): void {
    if (process.stderr.isTTY) process.stderr.write(REWRITE);
  }

  #showAtTimes(): void {
    const terminal = process.stderr.isTTY;
    const now = Date.now();
    if (now - this.#shownAt < (terminal ? REWRITE_EVERY_MS : LINE_EVERY_MS)) return;
    this.#shownAt = now;
    process.stderr.write(terminal ? `${REWRITE}${this.#text()}` : `${this.#text()}\n`);
  }

  #text(): string {
    const done = this.#done.toLocaleString('en');
    const total = this.#total?.toLocaleString('en');
    return `${this.#step}: ${total === undefined ? done : `${done} of ${total}`}`;
  }
}
