import assert from 'node:assert/strict';
import { type Chance, newChance } from '../../../test/chance.ts';
import { carried, reordered, rewritten, type Span } from './authorship.ts';
import { merge3 } from './merge.ts';

/** A word that no other place of a history has, or a common one, which has no writer. */
export interface Word {
  text: string;
  writer?: string;
}

/** A sentence, or an item of a list. */
type Sentence = Word[];

interface Block {
  kind: 'paragraph' | 'list';
  sentences: Sentence[];
}

const COMMON = ['the', 'of', 'and', 'in', 'we', 'is', 'for', 'all', 'a', 'not'];

/** A text of which each word's writer is known, whatever is done to it. */
export class MovingText {
  readonly #chance: Chance;
  readonly #fresh: () => string;
  blocks: Block[] = [];

  /** @param fresh returns a word that it never returned before */
  constructor(chance: Chance, fresh: () => string) {
    this.#chance = chance;
    this.#fresh = fresh;
  }

  copy(): MovingText {
    const copy = new MovingText(this.#chance, this.#fresh);
    copy.blocks = structuredClone(this.blocks);
    return copy;
  }

  words(): Word[] {
    return this.blocks.flatMap(({ sentences }) => sentences.flat());
  }

  toString(): string {
    const blocks = this.blocks.map(({ kind, sentences }) => {
      const texts = sentences.map((words) => words.map(({ text }) => text).join(' '));
      if (kind === 'list') return texts.map((text) => `- ${text}`).join('\n');
      return texts.map((text) => `${text}.`).join(' ');
    });
    return `${blocks.join('\n\n')}\n`;
  }

  /** Writes some blocks. */
  begin(writer: string, count: number): this {
    for (let at = 0; at < count; at++) this.blocks.push(this.#newBlock(writer));
    return this;
  }

  /** Does one thing as people do, and says what. Words that it deletes are added to `deleted`. */
  change(writer: string, ways: readonly Way[], deleted: Word[] = []): Way {
    const way = this.#chance.pick(ways);
    this.#do(way, writer, deleted);
    for (const block of this.blocks) {
      block.sentences = block.sentences.filter((sentence) => sentence.length > 0);
    }
    this.blocks = this.blocks.filter(({ sentences }) => sentences.length > 0);
    if (this.blocks.length === 0) this.begin(writer, 1);
    return way;
  }

  #do(way: Way, writer: string, deleted: Word[]): void {
    const chance = this.#chance;
    const block = chance.pick(this.blocks);
    const at = chance.below(block.sentences.length);
    const sentence = block.sentences[at] as Sentence;
    switch (way) {
      case 'change word':
        this.#changeWord(sentence, writer, deleted);
        break;
      case 'insert words':
        sentence.splice(chance.below(sentence.length + 1), 0, ...this.#newWords(writer, 3));
        break;
      case 'delete word':
        deleted.push(...sentence.splice(chance.below(sentence.length), 1));
        break;
      case 'add sentence':
        block.sentences.splice(at, 0, this.#newSentence(writer));
        break;
      case 'delete sentence':
        deleted.push(...block.sentences.splice(at, 1).flat());
        break;
      case 'add block':
        this.blocks.splice(chance.below(this.blocks.length + 1), 0, this.#newBlock(writer));
        break;
      case 'delete block':
        this.#take(block);
        deleted.push(...block.sentences.flat());
        break;
      case 'rewrite block':
        deleted.push(...block.sentences.flat());
        block.sentences = this.#newBlock(writer).sentences;
        break;
      case 'move sentence':
      case 'move sentence and change it': {
        block.sentences.splice(at, 1);
        const others = this.blocks.filter(({ kind }) => kind === block.kind);
        const target = chance.pick(others);
        target.sentences.splice(chance.below(target.sentences.length + 1), 0, sentence);
        if (way !== 'move sentence') this.#changeWord(sentence, writer, deleted);
        break;
      }
      case 'move block':
      case 'move block and change it':
        this.#take(block);
        this.blocks.splice(chance.below(this.blocks.length + 1), 0, block);
        if (way !== 'move block') this.#changeWord(sentence, writer, deleted);
        break;
      case 'swap blocks': {
        const [one, other] = [this.blocks.indexOf(block), chance.below(this.blocks.length)];
        this.blocks[one] = this.blocks[other] as Block;
        this.blocks[other] = block;
        break;
      }
    }
  }

  #take(block: Block): void {
    this.blocks.splice(this.blocks.indexOf(block), 1);
  }

  #changeWord(sentence: Sentence, writer: string, deleted: Word[]): void {
    const at = this.#chance.below(sentence.length);
    deleted.push(...sentence.splice(at, 1, { text: this.#fresh(), writer }));
  }

  #newBlock(writer: string): Block {
    const kind = this.#chance.below(3) === 0 ? 'list' : 'paragraph';
    const length = 1 + this.#chance.below(kind === 'list' ? 5 : 4);
    return { kind, sentences: Array.from({ length }, () => this.#newSentence(writer)) };
  }

  #newSentence(writer: string): Sentence {
    // At least two words of its own.
    return [
      ...this.#newWords(writer, 1),
      ...this.#newWords(writer, 8),
      ...this.#newWords(writer, 1),
    ];
  }

  #newWords(writer: string, most: number): Word[] {
    const length = 1 + this.#chance.below(most);
    return Array.from({ length }, (_, index) =>
      index > 0 && this.#chance.below(3) === 0
        ? { text: this.#chance.pick(COMMON) }
        : { text: this.#fresh(), writer },
    );
  }
}

export const EDITS = [
  'change word',
  'insert words',
  'delete word',
  'add sentence',
  'delete sentence',
  'add block',
  'delete block',
  'rewrite block',
] as const;

export const MOVES = [
  'move sentence',
  'move sentence and change it',
  'move block',
  'move block and change it',
  'swap blocks',
] as const;

export type Way = (typeof EDITS)[number] | (typeof MOVES)[number];

const EVERYTHING = [...EDITS, ...MOVES];

/** Words with fewer than half of their passage's words left may count as new, in so many cases. */
const LEAST_RIGHT = 0.999;

/** Writes histories by several people, and checks who wrote each word. */
export function checkHistories(
  name: string,
  count: number,
  ways: readonly Way[] = EVERYTHING,
): void {
  const chance = newChance(name);
  let [judged, right] = [0, 0];
  for (let history = 0; history < count; history++) {
    const text = new MovingText(chance, freshWords(chance)).begin('ada', 3 + chance.below(6));
    let before = text.toString();
    let spans: readonly Span<string>[] = [[before.length, 'ada']];
    for (let revision = 2; revision <= 20; revision++) {
      const writer = chance.pick(['ada', 'grace', 'eve']);
      for (let times = chance.below(2); times >= 0; times--) text.change(writer, ways);
      const after = text.toString();
      const { order, edits } = rewritten(before, after);
      spans = carried(reordered(spans, order, writer), edits, writer);
      const wrong = wrongWords(text, spans);
      judged += text.words().length;
      right += text.words().length - wrong.length;
      if (ways === EDITS) assert.deepEqual(wrong, [], `${before}\n=>\n${after}`);
      before = after;
    }
  }
  assert.ok(right / judged >= LEAST_RIGHT, `${judged - right} of ${judged} are wrong`);
}

/** Returns the words of a text that spans say another wrote. */
export function wrongWords(text: MovingText, spans: readonly Span<string>[]): string[] {
  const all = text.toString();
  const writers = spans.flatMap(([length, origin]) => Array<string>(length).fill(origin));
  return text.words().flatMap(({ text: word, writer }) => {
    const at = all.indexOf(word);
    const isRight = !writer || writers.slice(at, at + word.length).every((each) => each === writer);
    return isRight ? [] : [`${word} by ${writers[at]} instead of ${writer}`];
  });
}

/** Passages of which few words are left may count as deleted, in so many merges. */
const LEAST_SOUND = 0.998;

/** Merges what two people did to one text, and checks each word: there once, or deleted by one. */
export function checkMerges(name: string, count: number, ways: readonly [Ways, Ways]): void {
  const chance = newChance(name);
  let sound = 0;
  for (let merge = 0; merge < count; merge++) {
    const base = new MovingText(chance, freshWords(chance)).begin('ada', 3 + chance.below(6));
    const [one, other] = ways.map((each, side) => {
      const text = base.copy();
      for (let times = chance.below(2); times >= 0; times--) text.change(`${side}`, each);
      return text;
    }) as [MovingText, MovingText];
    const texts = [base, one, other].map(String) as [string, string, string];
    const { text, conflicts } = merge3(...texts);
    const back = merge3(texts[0], texts[2], texts[1]);
    assert.equal(conflicts.length, back.conflicts.length);
    if (conflicts.length === 0) assert.equal(text, back.text);
    const [old, mine, theirs] = [base, one, other].map(ownWords) as [
      Set<string>,
      Set<string>,
      Set<string>,
    ];
    const merged = wordsOf(text);
    const told = new Set([
      ...merged,
      ...conflicts.flatMap(({ yours }) => wordsOf(yours.join(' '))),
    ]);
    const isKept = (word: string) => !old.has(word) || (mine.has(word) && theirs.has(word));
    const known = new Set([...old, ...mine, ...theirs]);
    const show = [...texts, text].join('\n=====\n');
    for (const word of known) if (isKept(word)) assert.ok(told.has(word), `${word} lost: ${show}`);
    for (const word of merged) assert.ok(known.has(word), `${word} glued: ${show}`);
    const areOnce = new Set(merged).size === merged.length;
    if (areOnce && (conflicts.length > 0 || merged.every(isKept))) sound++;
  }
  assert.ok(sound / count >= LEAST_SOUND, `${count - sound} of ${count} have words twice`);
}

type Ways = readonly Way[];

function ownWords(text: MovingText): Set<string> {
  return new Set(text.words().flatMap(({ text: word, writer }) => (writer ? [word] : [])));
}

function wordsOf(text: string): string[] {
  const all = text.split(/[\s.-]+/);
  return all.filter((word) => word !== '' && !COMMON.includes(word));
}

/** Returns a function that returns another word each time: letters and figures, as `qalpha37z`. */
export function freshWords(chance: Chance): () => string {
  let count = 0;
  return () => `q${chance.pick(['alpha', 'on', 'launch', 'reader'])}${count++}z`;
}
