/** How long to wait for further items after the first, in ms. */
const COLLECTS_MS = 10;

/** The most items of a request, and of their texts, in characters. */
const MOST = { items: 100, characters: 1_500_000 };

/** Collects items that come at about the same time, so that one request carries them. */
export class Batches<Item, Result> {
  readonly #send: (items: readonly Item[]) => Promise<readonly (Result | undefined)[]>;
  #waiting: { item: Item; done: (result: Promise<Result | undefined>) => void }[] = [];
  #characters = 0;

  /** @param send returns a result for each item; `undefined` if it has to be sent alone */
  constructor(send: (items: readonly Item[]) => Promise<readonly (Result | undefined)[]>) {
    this.#send = send;
  }

  /**
   * @param characters the length of the item's text
   * @returns `undefined` if the item has to be sent alone, as when it came alone
   */
  add(item: Item, characters = 0): Promise<Result | undefined> {
    if (this.#characters + characters > MOST.characters) this.#flush();
    if (this.#waiting.length === 0) setTimeout(() => this.#flush(), COLLECTS_MS);
    this.#characters += characters;
    const result = new Promise<Result | undefined>((done) => {
      this.#waiting.push({ item, done });
    });
    if (this.#waiting.length === MOST.items) this.#flush();
    return result;
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#characters = 0;
    const items = waiting.map(({ item }) => item);
    const sent = items.length > 1 ? this.#send(items) : Promise.resolve([]);
    for (const [index, { done }] of waiting.entries()) done(sent.then((all) => all[index]));
  }
}
