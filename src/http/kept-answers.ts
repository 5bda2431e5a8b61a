import type { IncomingMessage } from 'node:http';

/** A whole answer with status 200. */
export interface KeptAnswer {
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array;
  /** The pattern of the route that made it. */
  route: string;
}

/** What all answers together may take, roughly, and one besides its body. */
const MAX_BYTES = 8 * 1024 * 1024;
const ANSWER_BYTES = 1_000;

/** Longer targets and longer `Accept`s are nobody's habit. */
const MAX_KEY_LENGTH = 512;

/**
 * Answers that follow from the database, and from the target and the `Accept` of a request, alone. They
 * are found before the framework looks at a request, which would take longer than all else of them, and
 * kept for as long as the database is what it was.
 */
export class KeptAnswers {
  readonly #currentState: () => unknown;
  readonly #byTarget = new Map<string, Map<string, KeptAnswer>>();
  #bytes = 0;
  #state: unknown;

  /** @param currentState what no two states of the database share; `undefined` where it cannot tell */
  constructor(currentState: () => unknown) {
    this.#currentState = currentState;
  }

  /** The answer to a request, if it is known. */
  find({ method, url, headers }: IncomingMessage): KeptAnswer | undefined {
    if (method !== 'GET' || isConditional(headers)) return undefined;
    const answers = this.#byTarget.get(url ?? '');
    if (!answers) return undefined;
    // Asked only where it matters, since the database has to be.
    if (this.#currentState() !== this.#state) {
      this.#forget();
      return undefined;
    }
    return answers.get(headers.accept ?? '');
  }

  /** What to give `keep` with an answer that is made from now on. */
  state(): unknown {
    return this.#currentState();
  }

  /**
   * Keeps the answer to a request, unless something has been committed since.
   *
   * @param state the database's, from before anything was read of it
   */
  keep({ method, url = '', headers }: IncomingMessage, state: unknown, answer: KeptAnswer): void {
    const accept = headers.accept ?? '';
    if (method !== 'GET' || isConditional(headers)) return;
    if (url.length > MAX_KEY_LENGTH || accept.length > MAX_KEY_LENGTH) return;
    if (state === undefined || state !== this.#currentState()) return;
    const bytes = ANSWER_BYTES + sizeOf(answer.body);
    if (state !== this.#state || this.#bytes + bytes > MAX_BYTES) this.#forget();
    this.#state = state;
    this.#bytes += bytes;
    let answers = this.#byTarget.get(url);
    if (!answers) {
      answers = new Map();
      this.#byTarget.set(url, answers);
    }
    answers.set(accept, answer);
  }

  #forget(): void {
    this.#byTarget.clear();
    this.#bytes = 0;
  }
}

function isConditional(headers: IncomingMessage['headers']): boolean {
  return headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined;
}

/** Characters may take two bytes each. */
function sizeOf(body: string | Uint8Array): number {
  return typeof body === 'string' ? 2 * body.length : body.byteLength;
}
