/** How often a log gets a line, and a terminal another one in its place. */
const LINE_EVERY_MS = 5_000;
const REWRITE_EVERY_MS = 100;

/** Goes to the line's beginning and clears it. */
const REWRITE = '\r\x1b[K';

/** Shows on standard error how far a command is; standard output is for what came of it. */
export class ProgressLine {
  #step = '';
  #total: number | undefined;
  #done = 0;
  #shownAt = Date.now();

  /** @param total how much there is to do; `undefined` when that is not known */
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

  /** Leaves the terminal as it was. */
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
