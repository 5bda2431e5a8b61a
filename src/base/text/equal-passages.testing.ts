import { newChance } from '../../../test/chance.ts';
import { type Anchor, anchorAt, portAnchors } from './anchor.ts';

/** What became of comments on one of several equal passages. */
export interface Outcome {
  /** On their own line. */
  right: number;
  /** Kept on another line: the worst. */
  wrong: string[];
  /** Lost, or only guessed, though their line is there. */
  missed: number;
}

const PHRASE = 'needs another look before it ships';
const PARAGRAPHS = [
  `alpha one two ${PHRASE} omega.`,
  'A line of its own.',
  `delta five six ${PHRASE} chi.`,
  `gamma three four ${PHRASE} psi.`,
  'Something else is here.',
];
const OWN = PARAGRAPHS[0] as string;

/**
 * Turns every order of up to five paragraphs that has the first into every other, and follows a
 * comment on the words in it that two others have, too.
 *
 * @param step takes only one of so many pairs
 */
export function followInPairs(step: number): Outcome {
  const orders = (rest: readonly string[]): string[][] => [
    [],
    ...rest.flatMap((one) =>
      orders(rest.filter((other) => other !== one)).map((others) => [one, ...others]),
    ),
  ];
  const texts = orders(PARAGRAPHS)
    .filter((order) => order.includes(OWN))
    .map((order) => `${order.join('\n')}\n`);
  const outcome: Outcome = { right: 0, wrong: [], missed: 0 };
  for (let index = 0; index < texts.length ** 2; index += step) {
    const before = texts[Math.floor(index / texts.length)] as string;
    const after = texts[index % texts.length] as string;
    const [start, wanted] = [before, after].map(
      (text) => text.indexOf(OWN) + OWN.indexOf(PHRASE),
    ) as [number, number];
    const made = anchorAt(before, { start, end: start + PHRASE.length });
    const [anchor] = portAnchors(before, after, [made]) as [Anchor];
    judge(outcome, anchor, wanted, after);
  }
  return outcome;
}

function judge(outcome: Outcome, anchor: Anchor, wanted: number, text: string): void {
  if (anchor.state === 'kept' && anchor.start === wanted) outcome.right++;
  else if (anchor.state !== 'kept') outcome.missed++;
  else outcome.wrong.push(`${text.slice(0, anchor.start)}[${text.slice(anchor.start)}`);
}

const PHRASES = [PHRASE, 'the timeout is ten seconds', '10 euros', 'TODO', 'is done'];
const WORDS = 'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda sigma omega one two'
  .concat(' three four five six seven eight nine ten red blue green north south east west')
  .split(' ');

/** A paragraph, a list's item, or a heading with a paragraph that is nothing but the phrase. */
interface Unit {
  id: number;
  before: string;
  /** Whether it has the phrase. */
  hasPhrase: boolean;
  after: string;
}

/** Makes texts whose lines have the same words, changes them at random, and follows a comment. */
export function followThroughHistories(rounds: number): Outcome {
  const chance = newChance('equal passages');
  const words = (count: number) =>
    Array.from({ length: count }, () => chance.pick(WORDS)).join(' ');
  const outcome: Outcome = { right: 0, wrong: [], missed: 0 };
  for (let round = 0; round < rounds; round++) {
    let id = 0;
    const phrase = chance.pick(PHRASES);
    const kind = chance.pick(['paragraph', 'item', 'section'] as const);
    const unit = (): Unit => {
      id++;
      if (chance.below(4) === 0) {
        return { id, before: words(4 + chance.below(8)), hasPhrase: false, after: '' };
      }
      if (kind === 'section') {
        return { id, before: `## ${words(3)} ${id}\n\n`, hasPhrase: true, after: '' };
      }
      const start = kind === 'item' ? `- ${words(2)} ` : `${words(2 + chance.below(4))} `;
      return { id, before: start, hasPhrase: true, after: ` ${words(1 + chance.below(3))}.` };
    };
    const write = (units: readonly Unit[]) => {
      const places = new Map<number, number>();
      let text = '';
      for (const { id, before, hasPhrase, after } of units) {
        if (hasPhrase) places.set(id, text.length + before.length);
        text += `${before}${hasPhrase ? phrase : ''}${after}${kind === 'item' ? '\n' : '\n\n'}`;
      }
      return { text, places };
    };
    const changeWord = (text: string) => {
      const all = text.split(' ');
      const some = all.flatMap((word, index) => (/^[a-z]+$/.test(word) ? index : []));
      if (some.length > 0) all[chance.pick(some)] = chance.pick(WORDS);
      return all.join(' ');
    };
    const edit = (units: Unit[]) => {
      const [at, to] = [chance.below(units.length), chance.below(units.length)];
      const one = units[at] as Unit;
      const act = chance.below(6);
      if (act === 0) units.splice(to, 0, unit());
      else if (act === 1 && units.length > 2) units.splice(at, 1);
      else if (act === 2) units.splice(to, 0, ...units.splice(at, 1));
      else if (act === 3) [units[at], units[to]] = [units[to] as Unit, one];
      else if (chance.below(2)) units[at] = { ...one, before: changeWord(one.before) };
      else units[at] = { ...one, after: changeWord(one.after) };
    };
    const units = Array.from({ length: 3 + chance.below(6) }, unit);
    let written = write(units);
    if (written.places.size === 0) continue;
    const [own, start] = chance.pick([...written.places]);
    let anchor = anchorAt(written.text, { start, end: start + phrase.length });
    for (let saves = 1 + chance.below(4); saves > 0; saves--) {
      for (let edits = 1 + chance.below(3); edits > 0; edits--) edit(units);
      const { text } = written;
      written = write(units);
      [anchor] = portAnchors(text, written.text, [anchor]) as [Anchor];
      const wanted = written.places.get(own);
      if (wanted === undefined) break;
      judge(outcome, anchor, wanted, written.text);
      if (anchor.state === 'kept' && anchor.start !== wanted) break;
    }
  }
  return outcome;
}
