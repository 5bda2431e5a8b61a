/** Exit codes. 0 means success. Documented in docs/guide/command-line.md. */
export const EXIT = {
  failed: 1,
  usage: 2,
  /** Both sides changed the same text. A person has to decide. */
  conflict: 3,
  /** There is no token, or the service refuses it. */
  signedOut: 4,
  /** `wait` saw nothing until its timeout. */
  timeout: 5,
  /** Ctrl-C, as shells count it. */
  interrupted: 130,
} as const;

/** What happened to one file. */
export type Status = 'created' | 'pushed' | 'merged' | 'pulled' | 'deleted' | Idle | Trouble;
type Idle = 'unchanged' | 'ahead';
type Trouble = 'conflict' | 'failed' | 'skipped';

export interface Result {
  file: string;
  status: Status;
  document?: string;
  url?: string;
  revision?: number;
  message?: string;
  /** What the server says about the text. */
  warnings?: string[];
  /** References of the text that lead nowhere. */
  unresolved?: string[];
  /** It failed because the server didn’t answer, or couldn’t. It may work the next time. */
  retry?: true;
}

/** An error that is reported without a stack trace. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The service refused a request. */
export class ApiError extends CommandError {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string, exitCode?: number) {
    super(message, exitCode);
    this.status = status;
    this.code = code;
  }
}

/** A file can't be a document as it is. That's no failure of a folder that has it. */
export class NotADocument extends CommandError {}

/** There was no answer. The request can be tried again. */
export class Unreachable extends CommandError {}

/** Tells whether an error of a request ends without anyone’s doing. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return error.status >= 500 || error.status === 429;
  return error instanceof Unreachable;
}

/** Returns the exit code of the worst result. A failure is worse than a conflict. */
export function exitCodeOf(results: readonly Result[]): number {
  const has = (status: Status) => results.some((result) => result.status === status);
  return has('failed') ? EXIT.failed : has('conflict') ? EXIT.conflict : 0;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Removes what could control a terminal, because texts of documents and servers are not trusted.
 */
export function printable(text: string): string {
  return text.replace(CONTROL, '');
}

/**
 * Makes a text printable on one line, so that a name or a message of a server can't begin another.
 */
export function oneLine(text: string): string {
  return printable(text).replace(/[\t\n\u2028\u2029]+/g, ' ');
}

/** What a command would do, without having done it. */
const PLANNED: Partial<Record<Status, string>> = {
  created: 'create',
  pushed: 'push',
  merged: 'merge',
  pulled: 'pull',
  deleted: 'delete',
};

/** Returns the word for a status. @param isPlanned whether nothing has happened yet */
export function wordFor(status: Status, isPlanned: boolean): string {
  return (isPlanned && PLANNED[status]) || status;
}

/** Returns a result as a line for people. @param isPlanned whether nothing has happened yet */
export function lineOf(
  { file, status, document, url, message, unresolved }: Result,
  isPlanned = false,
): string {
  const words = [wordFor(status, isPlanned).padEnd(9), file];
  if (document && url && url !== file) words.push('→', url);
  const nowhere = unresolved ? `. These links lead nowhere: ${unresolved.join(', ')}.` : '';
  return oneLine(words.join(' ') + (message ? `: ${message}` : '') + nowhere);
}
