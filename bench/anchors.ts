/**
 * Measures how well comments follow their passages: carries a comment on every sentence through the
 * history of documents in a Git repository.
 *
 * Usage: node dist/bench/anchors.js [--repository path] [file…]
 */
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import {
  type Anchor,
  anchorAt,
  isUnlike,
  portAnchors,
  shownAnchors,
} from '../src/base/text/anchor.ts';
import { likeness } from '../src/base/text/closest.ts';

const FILES = ['README.md', 'CHANGELOG.md', 'docs/guide/api.md', 'docs/develop/architecture.md'];
const SENTENCE = /[^\s.!?|][^.!?|\n]{20,}?[.!?|\n]/g;
const MAX_SHOWN = 12;

const { values, positionals } = parseArgs({
  options: { repository: { type: 'string', default: '.' } },
  allowPositionals: true,
});

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: values.repository, encoding: 'utf8', maxBuffer: 1 << 28 });

/** Returns all texts of a file, oldest first. */
function textsOf(file: string): string[] {
  const commits = git(
    'log',
    '--reverse',
    '-m',
    '--first-parent',
    '--diff-filter=AMR',
    '--name-status',
    '--format=%H',
    '--',
    file,
  );
  const texts: string[] = [];
  for (const [, commit, path] of commits.matchAll(
    /^([0-9a-f]{40})\n\n\w+\t(?:[^\t\n]+\t)?(.+)$/gm,
  )) {
    const text = git('show', `${commit}:${path}`);
    if (text !== texts.at(-1)) texts.push(text);
  }
  return texts;
}

function occursOnce(text: string, passage: string): boolean {
  const at = text.indexOf(passage);
  return at >= 0 && text.indexOf(passage, at + 1) < 0;
}

function anchorsOf(text: string): Anchor[] {
  return [...text.matchAll(SENTENCE)]
    .map((match) => ({ start: match.index, end: match.index + match[0].trimEnd().length }))
    .filter(({ start, end }) => occursOnce(text, text.slice(start, end)))
    .map((range) => anchorAt(text, range));
}

const files = positionals.length > 0 ? positionals : FILES;
for (const file of files) {
  const texts = textsOf(file);
  const last = texts.at(-1) ?? '';
  const counts: Record<string, number> = {
    saves: texts.length - 1,
    sentences: 0,
    once: 0,
    found: 0,
  };
  const add = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  const examples: string[] = [];
  let ms = 0;
  let saves = 0;
  // Comments are made before the first save, and after a third and two thirds of the saves.
  for (const from of [0, Math.floor(texts.length / 3), Math.floor((2 * texts.length) / 3)]) {
    const made = anchorsOf(texts[from] ?? '');
    let carried = made;
    for (let index = from + 1; index < texts.length; index++) {
      const start = performance.now();
      carried = portAnchors(texts[index - 1] ?? '', texts[index] ?? '', carried);
      ms += performance.now() - start;
      saves++;
    }
    const pairs = made.map((anchor, index) => ({
      made: anchor,
      carried: carried[index] as Anchor,
    }));
    const direct = shownAnchors(texts[from] ?? '', last, pairs);
    for (const [index, { carried }] of pairs.entries()) {
      const shown = isUnlike(last, carried) ? (direct[index] as Anchor) : carried;
      const passage = last.slice(shown.start, shown.end);
      const alike = likeness(passage, shown.quote);
      add('sentences');
      add(shown.state);
      if (occursOnce(last, shown.quote)) {
        add('once');
        if (passage === shown.quote) add('found');
        else examples.push(`not found: ${shown.quote}\n        at: ${shown.state} ${passage}`);
      } else if (shown.state === 'moved' || (shown.state === 'changed' && alike < 0.5)) {
        add(`unlike ${shown.state}`);
        examples.push(`${shown.state}: ${shown.quote}\n        now: ${passage.slice(0, 300)}`);
      }
    }
  }
  console.log(file, counts, `${(ms / saves).toFixed(1)} ms a save`);
  for (const example of examples.slice(0, MAX_SHOWN)) console.log(`  ${example}`);
}
