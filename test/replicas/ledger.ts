import { strict as assert } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../harness.ts';
import { ask, type Replica, targetOf, type User } from './cluster.ts';

const TRY_AGAIN_AFTER_MS = 50;

/** What is known of one thing: its content, or `undefined` where there is none. */
interface Entry {
  acknowledged: string | undefined;
  /** What a write that was not acknowledged may have made of it all the same. */
  attempted?: { content: string | undefined };
}

/**
 * Notes what the service has acknowledged of briefs, pages and files while its processes and its
 * servers come and go, and holds it against what is there in the end.
 */
export class Ledger {
  readonly #user: User;
  readonly #documents = new Map<string, Entry>();
  /** The addresses of files, once there is one. */
  readonly #files = new Map<string, string>();
  acknowledgements = 0;
  /** Answers that told to try again later, and requests whose connection broke. */
  unavailable = 0;
  broken = 0;

  constructor(user: User) {
    this.#user = user;
  }

  /** Makes, changes and removes one thing after another, until `stopped()`. */
  async write(replica: Replica, prefix: string, stopped: () => boolean): Promise<void> {
    for (let count = 0; !stopped(); count++) {
      const name = `${prefix}-${count}`;
      if (count % 5 === 4) await this.#uploadFile(replica, name);
      else await this.#writeDocument(replica, count % 5 === 2 ? 'page' : 'brief', name);
    }
  }

  /** As many writers at once, until the work is done. */
  async during(replicas: Replica[], prefix: string, work: () => Promise<unknown>): Promise<void> {
    let done = false;
    const writers = replicas.map((replica, index) =>
      this.write(replica, `${prefix}-${index}`, () => done),
    );
    try {
      // A writer ends early only where it fails.
      await Promise.race([work(), Promise.all(writers)]);
    } finally {
      done = true;
    }
    await Promise.all(writers);
  }

  async #writeDocument(replica: Replica, kind: 'brief' | 'page', name: string): Promise<void> {
    const field = kind === 'brief' ? 'content' : 'html';
    const client = this.#user.at(replica);
    const path = `/${kind}s/${this.#user.username}/${name}`;
    const entry: Entry = { acknowledged: undefined };
    this.#documents.set(path, entry);

    /** @returns whether it was acknowledged */
    const step = async (
      content: string | undefined,
      send: () => Promise<Answer>,
      status: number,
    ) => {
      entry.attempted = { content };
      if (!(await this.#acknowledged(send, status))) return false;
      entry.acknowledged = content;
      delete entry.attempted;
      return true;
    };
    const content = `${name} ${'x'.repeat(2_000)}`;
    const made = await step(
      content,
      () => client.post(`/user/${kind}s`, { name, [field]: content }),
      201,
    );
    if (!made) return;
    const changed = `${content}y`;
    if (!(await step(changed, () => client.patch(path, { [field]: changed }), 200))) return;
    if (name.endsWith('3')) await step(undefined, () => client.delete(path), 204);
  }

  async #uploadFile(replica: Replica, name: string): Promise<void> {
    const body = new FormData();
    body.set('file', new Blob([name], { type: 'text/plain' }), `${name}.txt`);
    const upload = () => this.#user.at(replica).request('/user/files', { method: 'POST', body });
    const answer = await this.#acknowledged(upload, 201);
    if (answer) this.#files.set(answer.data.url, name);
  }

  /** The answer, where it acknowledges; anything but that or "try again later" is a failure. */
  async #acknowledged(send: () => Promise<Answer>, status: number): Promise<Answer | undefined> {
    let answer: Answer;
    try {
      answer = await send();
    } catch (error) {
      // What `fetch` throws for a connection that broke.
      if (!(error instanceof TypeError)) throw error;
      this.broken += 1;
      await sleep(TRY_AGAIN_AFTER_MS);
      return undefined;
    }
    if (answer.status === 503) {
      assertUnavailable(answer);
      this.unavailable += 1;
      await sleep(TRY_AGAIN_AFTER_MS);
      return undefined;
    }
    assert.equal(answer.status, status, answer.text);
    this.acknowledgements += 1;
    return answer;
  }

  /**
   * Everything acknowledged is there; what was under way is there whole or not at all; and the
   * lists show once each what is there, and nothing else.
   */
  async verify(replica: Replica): Promise<void> {
    const { username } = this.#user;
    const client = this.#user.at(replica);
    const there: string[] = [];
    await inTurns([...this.#documents], async ([path, entry]) => {
      const { status, json } = await client.get(path);
      assert.ok(status === 200 || status === 404, `${path}: ${status}`);
      const actual = status === 404 ? undefined : (json.data.content ?? json.data.html);
      const allowed = [entry.acknowledged, ...(entry.attempted ? [entry.attempted.content] : [])];
      assert.ok(allowed.includes(actual), `${path}: ${actual} instead of ${allowed}`);
      entry.acknowledged = actual;
      delete entry.attempted;
      if (actual !== undefined) there.push(path);
    });
    await inTurns([...this.#files], async ([url, text]) => {
      assert.equal((await ask(replica.renderUrl + targetOf(url))).text, text);
    });
    const listed: string[] = [];
    for (const segment of ['briefs', 'pages']) {
      const names = await listAll(replica, this.#user, `/user/${segment}`);
      listed.push(...names.map((name) => `/${segment}/${username}/${name}`));
    }
    assert.deepEqual(listed.sort(), there.sort());
  }
}

/** An answer that tells to try again later, in the API's error shape. */
export function assertUnavailable(answer: Answer): void {
  assert.equal(answer.status, 503, answer.text);
  assert.equal(answer.json.error.code, 'UNAVAILABLE');
  assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
}

/** The names on all pages of a list, of which it says itself how many there are. */
async function listAll(replica: Replica, user: User, path: string): Promise<string[]> {
  const names: string[] = [];
  for (let page = 1; ; page++) {
    const { status, data, headers, text } = await user
      .at(replica)
      .get(`${path}?per_page=100&page=${page}`);
    assert.equal(status, 200, text);
    names.push(...data.map(({ name }: { name: string }) => name));
    if (!headers.get('link')?.includes('rel="next"')) break;
  }
  const { headers } = await user.at(replica).get(`${path}?per_page=1`);
  const [, total = '1'] = /[?&]page=(\d+)[^,]*rel="last"/.exec(headers.get('link') ?? '') ?? [];
  assert.equal(Number(total), Math.max(1, names.length), 'what the list counts is what it shows');
  return names;
}

/** Some at once, but not all. */
async function inTurns<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const AT_ONCE = 16;
  for (let start = 0; start < items.length; start += AT_ONCE) {
    await Promise.all(items.slice(start, start + AT_ONCE).map(work));
  }
}
