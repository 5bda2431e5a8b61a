import { exitCodeOf, lineOf, oneLine, type Result, type Status, wordFor } from './outcome.ts';

/** How often the progress changes on a terminal, and without one, in ms. */
const SHOWN_EVERY_MS = { terminal: 100, log: 10_000 };

/** The options of how to print. */
export interface PrintFlags {
  json?: boolean;
  verbose?: boolean;
}

/**
 * The one way to print: results as they come on standard output, or one object with `--json`;
 * progress and notices on standard error. Progress is shown only on a terminal or with `--verbose`.
 */
export class Output {
  readonly #json: boolean;
  readonly #verbose: boolean;
  readonly #results: Result[] = [];
  #total = 0;
  #shownAt = Date.now();
  #isLineOpen = false;
  /** Whether results say what would happen. */
  isPlanned = false;

  constructor({ json = false, verbose = false }: PrintFlags) {
    this.#json = json;
    this.#verbose = verbose;
  }

  /** Prints an answer that isn't about files: an object, or the same in lines. */
  print(data: object, lines: readonly string[]): void {
    this.#clear();
    if (this.#json) console.log(JSON.stringify(data));
    else for (const line of lines) console.log(line);
  }

  /** Says something that isn't a result, such as why nothing happens for a while. */
  notice(text: string): void {
    this.#clear();
    console.error(oneLine(text));
  }

  /** Announces how many results to expect, besides those announced before. */
  expect(count: number): void {
    this.#total += count;
  }

  /** Takes a result. Many unchanged files are only counted, except with `--verbose`. */
  add(result: Result): void {
    this.#results.push(result);
    const isQuiet = result.status === 'unchanged' && this.#total > 20 && !this.#verbose;
    if (!this.#json && !isQuiet) {
      this.#clear();
      console.log(lineOf(result, this.isPlanned));
    }
    for (const warning of result.warnings ?? []) this.notice(`warning: ${result.file}: ${warning}`);
    this.#showProgress();
  }

  /** Takes a later result of a file. It is printed only if there is something to do. */
  amend(result: Result): void {
    const earlier = this.#results.find(({ file }) => file === result.file);
    if (!earlier || exitCodeOf([result]) !== 0) {
      if (earlier) this.#results.splice(this.#results.indexOf(earlier), 1);
      this.add(result);
    } else if (result.revision !== undefined) {
      earlier.revision = result.revision;
    }
  }

  /** Returns which files have a result, as the user wrote them. */
  filesDone(): Set<string> {
    return new Set(this.#results.map(({ file }) => file));
  }

  /** Ends a command about files. @param more further fields for `--json` @returns the results */
  end(more: object = {}): readonly Result[] {
    this.#clear();
    process.exitCode = exitCodeOf(this.#results);
    if (this.#json) console.log(JSON.stringify({ results: this.#results, ...more }));
    else if (this.#total > 20 || (this.isPlanned && this.#total > 1))
      console.error(this.#summary());
    return this.#results;
  }

  /** Prints an error that ends the command, with the results until then. */
  fail(message: string, code: string | undefined): void {
    this.#clear();
    const error = { message, ...(code && { code }) };
    const results = this.#results.length > 0 ? { results: this.#results } : {};
    if (this.#json) console.log(JSON.stringify({ ...results, error }));
    console.error(`briefs: ${message}`);
  }

  #summary(): string {
    const counts = new Map<Status, number>();
    for (const { status } of this.#results) counts.set(status, (counts.get(status) ?? 0) + 1);
    const parts = Array.from(
      counts,
      ([status, count]) => `${count} ${wordFor(status, this.isPlanned)}`,
    );
    return `${this.#results.length} files: ${parts.join(', ')}.`;
  }

  #showProgress(): void {
    const isTerminal = process.stderr.isTTY;
    if (!isTerminal && !this.#verbose) return;
    const every = isTerminal ? SHOWN_EVERY_MS.terminal : SHOWN_EVERY_MS.log;
    if (Date.now() - this.#shownAt < every) return;
    this.#shownAt = Date.now();
    const text = `${this.#results.length} of ${Math.max(this.#total, this.#results.length)} files`;
    process.stderr.write(isTerminal ? `\r${text}` : `${text}\n`);
    this.#isLineOpen = isTerminal;
  }

  #clear(): void {
    if (this.#isLineOpen) process.stderr.write('\r\u001b[K');
    this.#isLineOpen = false;
  }
}
