import type { IncomingMessage } from 'node:http';
import { SecondHitCache } from '../second-hit-cache.ts';

/** A whole answer with status 200, which is 304 for whoever has it already. */
export interface KeptAnswer {
  headers: Readonly<Record<string, string>> & { etag: string; 'last-modified': string };
  body: Uint8Array;
  /** The pattern of the route that made it. */
  route: string | undefined;
}

interface Made {
  answer: KeptAnswer;
  /** Asks the database whether the same answer would be made now. */
  isRight: () => Promise<boolean>;
}

interface Kept extends Made {
  /** The last state of the database that it is known to be right in. */
  state: unknown;
}

/** What all answers together may take, and one, roughly; and one besides its texts. */
const LIMITS = { maxBytes: 8 * 1024 * 1024, maxEntryBytes: 1024 * 1024 };
const ANSWER_BYTES = 1_500;

/** Longer targets and longer `Accept`s are nobody's habit. */
const MAX_KEY_LENGTH = 512;

/**
 * Answers that follow from the database, and from the path and the `Accept` of a request, alone. They
 * are found before the framework looks at a request, which would take longer than all else of them, and
 * given while they are right: as long as nothing has been committed, or what they are of is what it was.
 */
export class KeptAnswers {
  readonly #askState: () => unknown;
  readonly #answers = new SecondHitCache<Kept>(
    LIMITS,
    ({ answer }, key) => ANSWER_BYTES + 2 * key.length + answer.body.byteLength,
  );

  /** @param askState asks for what no two states of the database share; `undefined` where it cannot tell */
  constructor(askState: () => unknown) {
    this.#askState = askState;
  }

  /**
   * The answer to a request, where one is known: what is given then is `undefined` if it is no longer right.
   *
   * @throws what asking the database does, later
   */
  find(request: IncomingMessage): Promise<KeptAnswer | undefined> | undefined {
    const key = keyOf(request);
    const kept = this.#answers.get(key);
    return kept && this.#toRight(key, kept);
  }

  async #toRight(key: string, kept: Kept): Promise<KeptAnswer | undefined> {
    const state = this.#askState();
    if (state !== undefined && state === kept.state) return kept.answer;
    if (await kept.isRight()) {
      // Of what was committed meanwhile the next one hears: the state is from before.
      kept.state = state;
      return kept.answer;
    }
    // Another may have been kept meanwhile.
    if (this.#answers.get(key) === kept) this.#answers.delete(key);
    return undefined;
  }

  /**
   * Keeps the answer to a request, where the same was made lately.
   *
   * @param make gives it again
   */
  keep(request: IncomingMessage, make: () => Made): void {
    const key = keyOf(request);
    // With a query there are as many targets as somebody likes.
    if (key.includes('?') || key.length > MAX_KEY_LENGTH) return;
    this.#answers.offer(key, () => ({ ...make(), state: undefined }));
  }
}

/** What an answer depends on. */
function keyOf({ method, url, headers }: IncomingMessage): string {
  return `${method} ${url} ${headers.accept ?? ''}`;
}
