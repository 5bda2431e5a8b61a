import { strict as assert } from 'node:assert';
import type { BrowserContext, CDPSession } from 'playwright-core';
import { type Service, startService } from '../test/harness.ts';
import { signedIn } from '../test/in-browser.ts';
import { launch } from '../test/render/browser.ts';
import { makePerson, type Person } from '../test/web-app/world.ts';
import { median } from './measure.ts';

/**
 * Measures what comments add to opening a brief in the web app, on the server and in Chromium:
 * `npm run build && node dist/bench/discussion.js`. The service runs in this process, with the client
 * that asks it, so the server's time includes the client's.
 */

const THREADS = 200;
const ROUNDS = 15;
const WARM_UP = 5;
/** Metrics of Chromium's main thread, by their names in the DevTools protocol (`Performance`). */
const PARTS = ['TaskDuration', 'ScriptDuration', 'RecalcStyleDuration', 'LayoutDuration'] as const;

type Sample = Record<'server' | (typeof PARTS)[number], number>;

const service = await startService();
const browser = await launch();
try {
  const [ada, grace] = [await makePerson(service, 'ada'), await makePerson(service, 'grace')];
  await prepare(ada, grace);
  const context = await signedIn(browser, service, ada.visitor);
  const names = ['quiet', 'discussed'] as const;
  const samples: Record<string, Sample[]> = { quiet: [], discussed: [] };
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    // In alternating order, so that neither is always first.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const sample = await open(service, context, name);
      if (round >= 0) samples[name]?.push(sample);
    }
  }
  const of = (name: string, part: keyof Sample) =>
    median((samples[name] ?? []).map((sample) => sample[part]));
  console.log(`| ms of processor time | without comments | with ${THREADS} | added |`);
  console.log('|---|--:|--:|--:|');
  for (const part of ['server', ...PARTS] as const) {
    const [without, having] = [of('quiet', part), of('discussed', part)];
    const cells = [without, having, having - without].map((ms) => ms.toFixed(1));
    console.log(`| ${part} | ${cells.join(' | ')} |`);
  }
} finally {
  await browser.close();
  await service.stop();
}

/** Creates the same brief twice, and threads by two people on every paragraph of one of them. */
async function prepare(ada: Person, grace: Person): Promise<void> {
  const words = 'of the mirror, its glass, its stand and the house in which it is to be kept';
  const paragraphs = Array.from({ length: THREADS }, (_, at) => `Paragraph ${at + 1} ${words}.`);
  const content = `# Discussed\n\n${paragraphs.join('\n\n')}\n`;
  for (const name of ['quiet', 'discussed']) {
    const { status } = await ada.client.post('/user/briefs', { name, content });
    assert.equal(status, 201);
  }
  const settings = await ada.client.patch('/briefs/ada/discussed/review-settings', {
    comments: 'readers',
  });
  assert.equal(settings.status, 200, settings.text);
  for (let at = 1; at <= THREADS; at++) {
    const by = at % 2 === 0 ? ada : grace;
    const { status, text } = await by.client.post('/briefs/ada/discussed/threads', {
      body: 'This needs a number, and the year in which it was measured.',
      on: { quote: `Paragraph ${at} of the mirror` },
      ...(at % 10 === 0 && { replacement: `Paragraph ${at}, of the mirror` }),
    });
    assert.equal(status, 201, text);
  }
}

async function open(service: Service, context: BrowserContext, name: string): Promise<Sample> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const before = process.cpuUsage();
  const response = await page.request.get(`${service.webUrl}/read/ada/${name}`);
  assert.equal(response.status(), 200);
  const used = process.cpuUsage(before);
  await page.goto(`${service.webUrl}/read/ada/${name}`, { waitUntil: 'networkidle' });
  const metrics = await metricsOf(session);
  await page.close();
  return { ...metrics, server: (used.user + used.system) / 1000 };
}

async function metricsOf(session: CDPSession): Promise<Record<(typeof PARTS)[number], number>> {
  const { metrics } = await session.send('Performance.getMetrics');
  const of = (name: string) => (metrics.find((each) => each.name === name)?.value ?? 0) * 1000;
  return Object.fromEntries(PARTS.map((part) => [part, of(part)])) as never;
}
