import { strict as assert } from 'node:assert';
import { createToken } from '../../src/core/identity/token-service.ts';
import { everythingIndexed } from '../document/everything-indexed.ts';
import type { Client, Service } from '../harness.ts';
import { signUp, type Visitor } from '../sign-in/visitor.ts';

/** Someone with a browser, and a token for preparing data. */
export interface Person {
  username: string;
  visitor: Visitor;
  client: Client;
}

/** Creates an account and signs in. */
export async function makePerson(service: Service, username: string): Promise<Person> {
  const visitor = await signUp(service, username);
  const { context } = service.app;
  const { token } = await createToken(context, { username, name: 'world', lifetimeMs: undefined });
  return { username, visitor, client: service.client(token) };
}

const PLAN = `# Plan for the autumn

What we want to have done by December, and **who** does it.

## Work

| What | Who | Until |
|---|---|---|
| Telescope mirror | Grace | October |
| Orbit tables | Ada | November |

- [x] Order the glass
- [ ] Grind it

## Notes

> [!NOTE]
> The mirror comes first; everything else waits for it.

The focal length is $f = \\frac{R}{2}$.

\`\`\`ts
const focalLength = (radius: number) => radius / 2;
\`\`\`
`;

const DICE =
  '<!doctype html><title>Dice</title><style>body{font:20px sans-serif;padding:2rem}</style>' +
  '<h1>Dice</h1><button onclick="this.textContent = 1 + Math.floor(6 * Math.random())">Roll</button>';

/** Ada, with documents of every kind, an organization, and people to share with. */
export interface World {
  ada: Person;
  grace: Person;
}

/** Creates the data that the screens show. */
export async function makeWorld(service: Service): Promise<World> {
  const ada = await makePerson(service, 'ada');
  const grace = await makePerson(service, 'grace');
  const edsger = await makePerson(service, 'edsger');
  const make = async (who: Person, path: string, body: object) => {
    const answer = await who.client.post(path, body);
    assert.equal(answer.status, 201, answer.text);
  };
  await make(ada, '/user/briefs', {
    name: 'reading-list',
    content: '# Reading list\n\n- Euclid\n',
  });
  await make(ada, '/user/pages', { html: DICE });
  await make(ada, '/user/briefs', { name: 'plan', content: PLAN, visibility: 'private' });
  await make(grace, '/user/briefs', { name: 'mirror', content: '# Mirror', visibility: 'private' });
  await make(edsger, '/user/briefs', { name: 'notes', content: '# Notes', visibility: 'private' });
  await make(ada, '/user/orgs', { namespace: 'observatory', name: 'Observatory' });
  await make(ada, '/orgs/observatory/briefs', {
    name: 'rota',
    content: '# Rota\n\nWho watches when.',
    visibility: 'internal',
  });
  await make(edsger, '/user/orgs', { namespace: 'workshop', name: 'Instrument shop' });
  for (const [collection, owner] of [
    ['/user/briefs', 'ada'],
    ['/orgs/observatory/briefs', 'observatory'],
  ]) {
    await make(ada, collection as string, { name: 'draft', content: '# Draft' });
    await ada.client.delete(`/briefs/${owner}/draft`);
  }

  const invite = async (who: Person, path: string, body: object) => {
    const answer = await who.client.put(path, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.data.id as string;
  };
  const accepted = await invite(ada, '/briefs/ada/plan/collaborators/grace', {
    permission: 'write',
  });
  await grace.client.patch(`/user/brief_invitations/${accepted}`);
  await invite(ada, '/briefs/ada/plan/collaborators/edsger', { permission: 'read' });
  const shared = await invite(grace, '/briefs/grace/mirror/collaborators/ada', {
    permission: 'write',
  });
  await ada.client.patch(`/user/brief_invitations/${shared}`);
  await invite(edsger, '/briefs/edsger/notes/collaborators/ada', { permission: 'read' });
  await invite(edsger, '/orgs/workshop/members/ada', { role: 'member' });
  await invite(ada, '/orgs/observatory/members/grace', { role: 'member' });
  await grace.client.patch('/user/memberships/orgs/observatory', { state: 'active' });
  await invite(ada, '/orgs/observatory/members/edsger', { role: 'admin' });
  await ada.client.put('/briefs/ada/plan/reviewers/grace', { note: 'Are the dates right?' });
  await grace.client.post('/briefs/ada/plan/reviews', {
    verdict: 'approved',
    revision: 1,
    body: 'They are.',
  });
  // Everything after this is new since the last visit.
  await ada.visitor.get('/read/ada/plan');
  await grace.client.patch('/briefs/ada/plan', { content: `${PLAN}\nGrace was here.\n` });
  await makeThreads(ada, grace);
  await everythingIndexed(service.app.context);
  return { ada, grace };
}

/** Comments on Ada's plan: one thread of each kind. */
async function makeThreads(ada: Person, grace: Person): Promise<void> {
  const path = '/briefs/ada/plan/threads';
  const open = async (who: Person, body: object) => {
    const answer = await who.client.post(path, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.data.id as string;
  };
  const mirror = await open(grace, {
    on: { quote: 'The mirror comes first' },
    body: 'Does it? The **tables** take longer:\n\n- copying\n- checking',
  });
  await ada.client.post(`${path}/${mirror}/comments`, {
    body: 'Yes, see [the rota](/read/observatory/rota).',
  });
  await open(grace, {
    on: { quote: 'by December' },
    replacement: 'by the end of November',
    body: 'To be safe.',
  });
  await open(grace, { body: 'Well done.' });
  await open(grace, { on: { quote: 'Grace was here.' }, body: 'I was.' });
  const done = await open(ada, { on: { quote: 'Grind it' }, body: 'Who?' });
  await ada.client.patch(`${path}/${done}`, { state: 'resolved' });
  await ada.client.patch('/briefs/ada/plan', { content: PLAN });
}
