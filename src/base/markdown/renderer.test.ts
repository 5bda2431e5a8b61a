import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { after, test } from 'node:test';
import { newChance } from '../../../test/chance.ts';
import { hostileInputs } from '../../../test/markdown/hostile-inputs.ts';
import { BackEndUnavailable } from '../errors.ts';
import {
  createMarkdownRenderer,
  type MarkdownRenderer,
  type MarkdownRendererOptions,
} from './renderer.ts';

const faults: unknown[] = [];

function renderer(options: MarkdownRendererOptions = {}) {
  const created = createMarkdownRenderer({ onFault: (error) => faults.push(error), ...options });
  after(() => created.close());
  return created;
}

async function titleOf(
  markdown: MarkdownRenderer,
  source: string,
  key = 'ada',
): Promise<string | undefined> {
  const outcome = await markdown.renderOutcome(key, source);
  return outcome.kind === 'rendered' ? outcome.result.title : undefined;
}

test('renders on a thread like the function', async () => {
  const markdown = renderer();
  assert.equal(await titleOf(markdown, '# A $x$\n\nb'), 'A x');
  assert.equal(await markdown.firstHeading('ada', 'text\n\n# *B*'), 'B');
  assert.equal(await markdown.firstHeading('ada', 'text'), undefined);
});

test('renders each comment once', async () => {
  const markdown = renderer();
  const bodies = ['*a*', 'b', '*a*'];
  const html = ['<p><em>a</em></p>\n', '<p>b</p>\n', '<p><em>a</em></p>\n'];
  assert.deepEqual(await markdown.renderComments('ada', bodies), html);
  assert.deepEqual(await markdown.renderComments('ada', [...bodies, '']), [...html, '']);
  await markdown.close();
  // Without a thread, only remembered sources can be answered.
  assert.deepEqual(await markdown.renderComments('ada', ['b', 'c']), ['<p>b</p>\n', undefined]);
});

/** `HOSTILE_INPUTS=all` tests every class. Otherwise each seed tests different ones. */
const ALL = process.env.HOSTILE_INPUTS === 'all';

for (const [size, workMs, step] of [
  [90_000, 300, ALL ? 1 : 8],
  [900_000, 300, ALL ? 1 : 12],
] as const) {
  test(`hostile sources of ${size / 1000} KB finish, without blocking the event loop`, async (t) => {
    let settled = 0;
    const first = newChance(`hostile sources of ${size}`).below(step);
    const inputs = Object.entries(hostileInputs(size)).filter((_, index) => index % step === first);
    const markdown = renderer({ threads: 2, workMs });
    const delay = monitorEventLoopDelay({ resolution: 20 });
    delay.enable();
    await Promise.all(
      inputs.map(async ([name, source], index) => {
        // One per free thread, so that the queue has room.
        while (index >= settled + 4) await new Promise((resolve) => setTimeout(resolve, 5));
        const outcome = await markdown.renderOutcome(`${index % 2}`, source);
        settled++;
        // Late, if the machine does something else.
        assert.match(outcome.kind, /^(?:rendered|too-costly|busy)$/, name);
        if (outcome.kind === 'rendered') assert.ok(outcome.result.html.length <= 8_000_000, name);
      }),
    );
    delay.disable();
    t.diagnostic(`longest event loop delay: ${Math.round(delay.max / 1e6)} ms`);
    assert.ok(delay.max / 1e6 < 2_000, 'the event loop was blocked');
    assert.equal(await titleOf(markdown, '# still here'), 'still here');
  });
}

test('over the deadline or out of memory: too costly, and the next source is rendered', async () => {
  const slow = renderer({ threads: 1, workMs: 1 });
  const source = '*a*\n\n'.repeat(50_000);
  assert.deepEqual(await slow.renderOutcome('ada', source), { kind: 'too-costly' });

  const small = renderer({ threads: 1, memoryMb: 32 });
  const large = `|a|\n|-|\n${'|a|\n'.repeat(60_000)}`;
  assert.deepEqual(await small.renderOutcome('ada', large), { kind: 'too-costly' });
  assert.equal(await small.firstHeading('ada', '# next'), 'next');
  assert.equal(await titleOf(small, '# next'), 'next');
});

test('a source that was too costly is refused at once for a while', async () => {
  const markdown = renderer({ workMs: 1, refusalMs: 60_000 });
  const source = '# a\n\n'.repeat(20_000);
  await markdown.renderOutcome('ada', source);
  const start = performance.now();
  assert.deepEqual(await markdown.renderOutcome('ada', source), { kind: 'too-costly' });
  assert.ok(performance.now() - start < 100);
});

test('a source that is late is rendered all the same, and never refused', async () => {
  const markdown = renderer({ threads: 1, patienceMs: 0 });
  const source = '# Late\n\n'.concat('*a*\n\n'.repeat(2_000));
  assert.deepEqual(await markdown.renderOutcome('ada', source), { kind: 'busy' });
  // Finding has threads of its own, which here are as fast.
  while ((await titleOf(markdown, source)) === undefined) await markdown.firstHeading('bo', '*a*');
  await markdown.close();
  assert.equal(await titleOf(markdown, source), 'Late');
  assert.deepEqual(await markdown.renderOutcome('bo', source), { kind: 'busy' });
});

test('readers who wait for the same source wait for one rendering', async () => {
  const markdown = renderer({ threads: 1, maxQueue: 0 });
  const titles = await Promise.all(Array.from({ length: 5 }, () => titleOf(markdown, '# Same')));
  assert.deepEqual(titles, Array(5).fill('Same'));
});

test('in a flood, sources beyond the queue are busy, and queued ones are rendered', async () => {
  const markdown = renderer({ threads: 1, maxQueue: 3 });
  const kinds = await Promise.all(
    Array.from({ length: 10 }, async (_, index) => {
      const { kind } = await markdown.renderOutcome('ada', `# ${index}`);
      return kind;
    }),
  );
  assert.deepEqual(kinds.toSorted(), [...Array(6).fill('busy'), ...Array(4).fill('rendered')]);
});

test('in a flood, results to be stored are refused instead of omitted', async () => {
  const markdown = renderer({ threads: 1, maxQueue: 0 });
  const [first, second, third] = await Promise.allSettled([
    markdown.firstHeading('ada', '# A'),
    markdown.firstHeading('ada', '# B'),
    markdown.htmlTitle('ada', '<title>C</title>'),
  ]);
  assert.deepEqual(first, { status: 'fulfilled', value: 'A' });
  for (const refused of [second, third]) {
    assert.ok(refused?.status === 'rejected' && refused.reason instanceof BackEndUnavailable);
  }
});

test('results to be stored don’t wait for pages to be shown', async () => {
  const markdown = renderer({ threads: 1, maxQueue: 1, workMs: 60_000 });
  const slow = Array.from({ length: 2 }, (_, index) =>
    markdown.renderOutcome('ada', `${index}\n\n${'*a*\n\n'.repeat(20_000)}`),
  );
  let isShown = false;
  void slow[0]?.then(() => {
    isShown = true;
  });
  assert.equal(await markdown.htmlTitle('ada', '<title>A</title>'), 'A');
  assert.equal(await markdown.firstHeading('ada', '# B'), 'B');
  assert.equal(isShown, false);
  assert.deepEqual(await markdown.renderOutcome('ada', '# c'), { kind: 'busy' });
  await Promise.all(slow);
});

test('keys take turns: a key waits for at most one source of each other key', async () => {
  const markdown = renderer({ threads: 1, maxQueuePerKey: 3 });
  for (const find of [
    (key: string, text: string) => markdown.firstHeading(key, `# ${text}`),
    (key: string, text: string) => titleOf(markdown, `# ${text}`, key),
  ]) {
    const done: (string | undefined)[] = [];
    const note = async (found: Promise<string | undefined>) => void done.push(await found);
    const flood = ['m1', 'm2', 'm3', 'm4'].map((text) => note(find('mallory', text)));
    const late = note(find('ada', 'a1'));
    await Promise.all([...flood, late]);
    assert.deepEqual(done, ['m1', 'a1', 'm2', 'm3', 'm4']);
  }
});

test('a key with too many queued sources is refused, others aren’t', async () => {
  const markdown = renderer({ threads: 1, maxQueuePerKey: 1 });
  const [first, second, third, other] = await Promise.allSettled([
    markdown.firstHeading('mallory', '# A'),
    markdown.firstHeading('mallory', '# B'),
    markdown.firstHeading('mallory', '# C'),
    markdown.firstHeading('ada', '# D'),
  ]);
  assert.equal(first?.status, 'fulfilled');
  assert.equal(second?.status, 'fulfilled');
  assert.ok(third?.status === 'rejected' && third.reason.code === 'RATE_LIMITED');
  assert.deepEqual(other, { status: 'fulfilled', value: 'D' });
});

test('close ends running and later calls', async () => {
  const markdown = renderer({ threads: 1 });
  const running = markdown.renderOutcome('ada', '*a*\n\n'.repeat(100_000));
  const waiting = markdown.renderOutcome('ada', '# a');
  await new Promise((resolve) => setTimeout(resolve, 50));
  await markdown.close();
  assert.deepEqual(await running, { kind: 'busy' });
  assert.deepEqual(await waiting, { kind: 'busy' });
  assert.deepEqual(await markdown.renderOutcome('ada', '# b'), { kind: 'busy' });
});

test('no internal fault occurred', () => {
  assert.deepEqual(faults, []);
});
