import { execFileSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { renderMarkdown } from '../src/base/markdown/render.ts';
import {
  decodeText,
  encodeText,
  isNewKeyframe,
  MAX_DEPENDENTS,
} from '../src/core/revision/text-codec.ts';

/**
 * Measures what a revision costs to store, to encode and to read: `node
 * dist/bench/revision-storage.js`. The texts are the history of this repository's documents, and
 * pages generated like reports.
 */

/** Returns every version of a file in this repository, oldest first. */
function historyOf(path: string): Buffer[] {
  const git = (...args: string[]) => execFileSync('git', args, { maxBuffer: 1 << 28 });
  const commits = git('log', '--reverse', '--format=%H', '--', path).toString().trim().split('\n');
  return commits.flatMap((commit) => {
    try {
      return [git('show', `${commit}:${path}`)];
    } catch {
      return []; // The commit that deleted it.
    }
  });
}

function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Generates revisions of a page with tables, data for a script and text, and `image` in it. */
function pagesOf(markdown: readonly Buffer[], image: string): Buffer[] {
  const random = randomNumbers(7);
  const rows = Array.from({ length: 9_000 }, (_, index) => [
    `Station ${index}`,
    ...Array.from({ length: 6 }, () => (random() * 10_000).toFixed(2)),
  ]);
  return markdown.map((text) => {
    for (let change = 0; change < 40; change++) {
      const row = rows[Math.floor(random() * rows.length)] as string[];
      row[1 + Math.floor(random() * 6)] = (random() * 10_000).toFixed(2);
    }
    if (random() < 0.2) {
      const at = Math.floor(random() * rows.length);
      rows.splice(at, 25, ...rows.slice(at, at + 25).toReversed());
    }
    const cells = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
    return Buffer.from(
      `<!doctype html><title>Report</title>${image}<main>${renderMarkdown(text.toString()).html}` +
        `</main><table>${cells.join('\n')}</table>`,
    );
  });
}

interface Series {
  raw: number;
  whole: number;
  stored: number;
  encodeMs: number;
  readMs: number;
  revisions: number;
  keyframes: number;
}

async function measure(texts: readonly Buffer[], sum: Series): Promise<void> {
  let keyframe: { text: Buffer; body: Buffer; dependents: number } | undefined;
  for (const text of texts) {
    const start = performance.now();
    const whole = await encodeText(text);
    const delta =
      keyframe && keyframe.dependents < MAX_DEPENDENTS && (await encodeText(text, keyframe.text));
    sum.encodeMs += performance.now() - start;
    const isDelta = delta && !isNewKeyframe(delta.length, whole.length);
    if (isDelta && keyframe) {
      keyframe.dependents++;
      sum.readMs += await readMs(text, delta, keyframe);
    } else {
      keyframe = { text, body: whole, dependents: 0 };
      sum.keyframes++;
      sum.readMs += await readMs(text, whole);
    }
    sum.whole += whole.length;
    sum.raw += text.length;
    sum.stored += isDelta ? delta.length : whole.length;
    sum.revisions++;
  }
}

/** Measures how long reading a text takes: its keyframe first, then the text. */
async function readMs(
  text: Buffer,
  body: Buffer,
  keyframe?: { text: Buffer; body: Buffer },
): Promise<number> {
  const start = performance.now();
  const dictionary = keyframe && (await decodeText(keyframe.body, keyframe.text.length));
  const read = await decodeText(body, text.length, dictionary);
  const took = performance.now() - start;
  if (!read.equals(text)) throw new Error('a text was read back otherwise');
  return took;
}

const files = execFileSync('git', ['ls-files', 'README.md', 'CHANGELOG.md', 'docs/*.md'])
  .toString()
  .trim()
  .split('\n');
const histories = files.map(historyOf).filter((texts) => texts.length >= 5);
const longest = histories.toSorted((one, other) => other.length - one.length)[0] ?? [];
const random = randomNumbers(3);
const bytes = Buffer.from(Array.from({ length: 450_000 }, () => Math.floor(random() * 256)));
const image = `<img src="data:image/png;base64,${bytes.toString('base64')}">`;

const kb = (size: number) => `${(size / 1024).toFixed(2)} KB`;
for (const [name, series] of [
  ['Markdown', histories],
  ['HTML', [pagesOf(longest.slice(-200), '')]],
  ['HTML with an image of 600 KB', [pagesOf(longest.slice(-200), image)]],
] as const) {
  const sum = { raw: 0, whole: 0, stored: 0, encodeMs: 0, readMs: 0, revisions: 0, keyframes: 0 };
  for (const texts of series) await measure(texts, sum);
  const { revisions: n } = sum;
  console.log(
    `${name}: ${n} revisions, ${sum.keyframes} keyframes; raw ${kb(sum.raw / n)}, zstd ` +
      `${kb(sum.whole / n)}, stored ${kb(sum.stored / n)}; encode ${(sum.encodeMs / n).toFixed(2)} ms, ` +
      `read ${(sum.readMs / n).toFixed(2)} ms`,
  );
}
