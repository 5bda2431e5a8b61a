import type { Chance } from '../../../test/chance.ts';

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

/** Returns a function that returns another word each time: letters and figures, as `qalpha37z`. */
export function freshWords(chance: Chance): () => string {
  let count = 0;
  return () => `q${chance.pick(['alpha', 'on', 'launch', 'reader'])}${count++}z`;
}
