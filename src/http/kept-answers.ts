import type { IncomingMessage } from 'node:http';

/** A whole answer with status 200. */
export interface KeptAnswer {
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array;
  /** The pattern of the route that made it. */
  route: string | undefined;
}

/** What all answers together may take, roughly, and one besides its texts. */
const MAX_BYTES = 8 * 1024 * 1024;
const ANSWER_BYTES = 1_000;

/** Longer targets and longer `Accept`s are nobody's habit. */
const MAX_KEY_LENGTH = 512;

/**
 * Answers that follow from the database, and from the path and the `Accept` of a request, alone. They
 * are found before the framework looks at a request, which would take longer than all else of them, and
 * kept for as long as the database is what it was.
 */
export class KeptAnswers {
  readonly #askState: () => unknown;
  /** The oldest first. */
  readonly #answers = new Map<string, KeptAnswer>();
  #bytes = 0;
  #state: unknown;

  /** @param askState asks for what no two states of the database share; `undefined` where it cannot tell */
  constructor(askState: () => unknown) {
    this.#askState = askState;
  }

  /** The answer to a request, if it is known. */
  find(request: IncomingMessage): KeptAnswer | undefined {
    if (this.#answers.size === 0 || isConditional(request)) return undefined;
    const answer = this.#answers.get(keyOf(request));
    // Asked only where it matters, since the database has to be.
    if (!answer || this.state() === this.#state) return answer;
    this.#forget();
    return undefined;
  }

  /**
   * What to give `keep` with an answer that is made from now on. Where the database fails nothing is known,
   * which whoever asks it for more finds out.
   */
  state(): unknown {
    try {
      return this.#askState();
    } catch {
      return undefined;
    }
  }

  /**
   * Keeps the answer to a request, unless something has been committed since.
   *
   * @param state the database's, from before anything was read of it
   */
  keep(request: IncomingMessage, state: unknown, answer: KeptAnswer): void {
    const key = keyOf(request);
    // With a query there are as many targets as somebody likes.
    if (isConditional(request) || key.includes('?') || key.length > MAX_KEY_LENGTH) return;
    if (state === undefined || state !== this.state()) return;
    if (state !== this.#state) this.#forget();
    this.#state = state;
    if (this.#answers.has(key)) return;
    this.#answers.set(key, answer);
    this.#bytes += bytesOf(key, answer);
    for (const [oldest, its] of this.#answers) {
      if (this.#bytes <= MAX_BYTES) return;
      this.#answers.delete(oldest);
      this.#bytes -= bytesOf(oldest, its);
    }
  }

  #forget(): void {
    this.#answers.clear();
    this.#bytes = 0;
  }
}

/** What an answer depends on. */
function keyOf({ method, url, headers }: IncomingMessage): string {
  return `${method} ${url} ${headers.accept ?? ''}`;
}

function isConditional({ headers }: IncomingMessage): boolean {
  return headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined;
}

/** Characters may take two bytes each. */
function bytesOf(key: string, { body }: KeptAnswer): number {
  const bodyBytes = typeof body === 'string' ? 2 * body.length : body.byteLength;
  return ANSWER_BYTES + 2 * key.length + bodyBytes;
}
