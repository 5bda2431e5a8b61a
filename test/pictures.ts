import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { createToken } from '../src/core/identity/token-service.ts';
import { type Client, type Service, startService } from './harness.ts';
import { signedIn } from './in-browser.ts';
import { launch } from './render/browser.ts';
import { submit } from './web-app/forms.ts';
import { makePerson, makeWorld, type Person } from './web-app/world.ts';

// Takes the pictures of the README, the guide and the front page again:
// `npm run build && npx node dist/test/pictures.js`

const ROOT = new URL('../../', import.meta.url);
const fileAt = (path: string) => fileURLToPath(new URL(path, ROOT));

const PLAN = `# Release 2.4

We ship 2.4 to every customer in the **second week of December**, one region at a time.

## What changes

- Search forgives typing errors in titles.
- Old revisions load twice as fast.
- Exports contain comments.

## Steps

| Step | Who | Until |
|---|---|---|
| Freeze the branch | Grace | 1 December |
| Try the upgrade on a copy of production | Edsger | 4 December |
| Roll out to Europe, then to the others | Ada | 11 December |

If the error rate doubles, we go back to 2.3 at once.
`;

/** An agent's brief, in review: comments, a suggestion, an answer by the agent, and an approval. */
async function makeReview(service: Service): Promise<Person> {
  const ada = await makePerson(service, 'ada');
  const grace = await makePerson(service, 'grace');
  const edsger = await makePerson(service, 'edsger');
  const agent = await agentOf(service, 'ada');
  const brief = '/briefs/ada/release-2-4';
  await agent.post('/user/briefs', { name: 'release-2-4', content: PLAN, visibility: 'private' });
  for (const { username, client } of [grace, edsger]) {
    const { data } = await agent.put(`${brief}/collaborators/${username}`, { permission: 'write' });
    await client.patch(`/user/brief_invitations/${data.id}`);
  }
  const path = '/read/ada/release-2-4';
  const comment = (who: Person, fields: Record<string, string>) =>
    submit(who.visitor, path, { act: 'open', ...fields });
  await comment(grace, {
    quote: 'every customer',
    body: 'Also those who host it themselves?',
  });
  await comment(edsger, {
    quote: 'one region at a time',
    body: 'Three days are enough to see errors.',
    replacement: 'one region every three days',
  });
  const { data: threads } = await agent.get(`${brief}/threads`);
  const asked = threads.find(({ replacement }: { replacement?: string }) => !replacement);
  await agent.post(`${brief}/threads/${asked.id}/comments`, {
    body: 'No, they upgrade when they like. I’ll add a sentence.',
  });
  await agent.put(`${brief}/reviewers/grace`, { note: 'Are the dates right?' });
  await grace.client.post(`${brief}/reviews`, { verdict: 'approved', revision: 1, body: 'Yes.' });
  return ada;
}

async function agentOf(service: Service, username: string): Promise<Client> {
  const asked = { username, name: 'Release agent', lifetimeMs: undefined };
  const { token } = await createToken(service.app.context, asked);
  return service.client(token);
}

const browser = await launch();

/** Opens a path and saves a picture of it. */
async function take(
  service: Service,
  where: { path: string; person?: Person; files: readonly string[] },
  options: BrowserContextOptions,
  prepare: (page: Page) => Promise<unknown> = async () => {},
): Promise<void> {
  const context = await signedIn(browser, service, where.person?.visitor, options);
  const page = await context.newPage();
  const response = await page.goto(service.webUrl + where.path, { waitUntil: 'networkidle' });
  assert.equal(response?.status(), 200, where.path);
  await prepare(page);
  for (const file of where.files) await page.screenshot({ path: fileAt(file) });
  await context.close();
}

const inReview = await startService();
const ada = await makeReview(inReview);
for (const theme of ['light', 'dark'] as const) {
  const files = [`src/surfaces/web/client/front-${theme}.png`];
  if (theme === 'light') files.push('docs/images/review.png');
  await take(
    inReview,
    { path: '/read/ada/release-2-4', person: ada, files },
    { viewport: { width: 1240, height: 720 }, colorScheme: theme },
  );
}
await inReview.stop();

const everyday = await startService();
const world = await makeWorld(everyday);
const example = readFileSync(fileAt('docs/example.md'), 'utf8');
await world.ada.client.post('/user/briefs', { name: 'orbit-determination', content: example });
const wide = { viewport: { width: 1200, height: 750 } };
const tall = { viewport: { width: 1280, height: 1180 } };
const picture = (path: string, name: string, person?: Person) => ({
  path,
  files: [`docs/images/${name}.png`],
  ...(person && { person }),
});
await take(everyday, picture('/ada/orbit-determination', 'reading'), tall, (page) =>
  page.locator('.diagram svg, .diagram iframe, .diagram img').first().waitFor(),
);
await take(everyday, picture('/', 'home', world.ada), wide);
await take(everyday, picture('/edit/ada/plan', 'writing', world.ada), wide);
await take(everyday, picture('/share/ada/plan', 'sharing', world.ada), tall);
await everyday.stop();
await browser.close();
