import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Service, startService } from '../../../test/harness.ts';
import { connect } from '../../../test/mcp/agent.ts';
import { type ServeProcess, startServe } from '../../../test/process.ts';
import { databaseState } from '../../../test/state.ts';
import { until } from '../../../test/until.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { setAccountDisabled } from '../../core/identity/account-service.ts';
import { createToken } from '../../core/identity/token-service.ts';
import type { ShownPeople } from './people.tsx';

/** A page's connection, and whom it shows. */
interface Page {
  /** What the list says, a person each: `grace is reading`. */
  people(): string[];
  places(): [number, string][];
  /** How often it was told. */
  told(): number;
  send(message: object): void;
  closed: Promise<number>;
  close(): Promise<void>;
}

const cookieOf = ({ visitor }: Person) =>
  Array.from(visitor.cookies, ([name, value]) => `${name}=${value}`).join('; ');

async function openPage(
  who: Person | undefined,
  path: string,
  { webUrl }: { webUrl: string },
): Promise<Page> {
  const url = `${webUrl.replace('http', 'ws')}/live/${path}`;
  const headers = { origin: webUrl, ...(who && { cookie: cookieOf(who) }) };
  const socket = new WebSocket(url, { headers } as unknown as string[]);
  const all: ShownPeople[] = [];
  socket.addEventListener('message', ({ data }) => {
    const { people } = JSON.parse(data);
    if (people) all.push(people);
  });
  const closed = new Promise<number>((resolve) => {
    socket.addEventListener('close', ({ code }) => resolve(code));
  });
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  const page: Page = {
    people: () => listed(all.at(-1)?.html ?? ''),
    places: () => all.at(-1)?.places ?? [],
    told: () => all.length,
    send: (message: object) => socket.send(JSON.stringify(message)),
    closed,
    async close() {
      socket.close();
      await closed;
    },
  };
  return page;
}

function listed(html: string): string[] {
  return Array.from(html.matchAll(/<li>(.*?)<\/li>/gs), ([, item = '']) =>
    item.replace(/<[^>]*>/g, ''),
  );
}

const shows = (page: Page, ...people: string[]) =>
  until(`${people} are shown, not ${page.people()}`, () => {
    return page.people().join() === people.join();
  });

describe('Who is at a document', () => {
  let service: Service;
  let ada: Person;
  let grace: Person;
  let alan: Person;
  let eve: Person;
  const pages: Page[] = [];

  before(async () => {
    service = await startService();
    [ada, grace, alan, eve] = (await Promise.all(
      ['ada', 'grace', 'alan', 'eve'].map((name) => makePerson(service, name)),
    )) as [Person, Person, Person, Person];
  });
  after(() => service.stop());

  /** Creates a brief that grace can edit and alan can read, a minute ago. */
  async function make(name: string, visibility = 'private'): Promise<string> {
    const body = { name, content: '# Plan\n\nOne.\n\nTwo.\n', visibility };
    assert.equal((await ada.client.post('/user/briefs', body)).status, 201);
    const path = `/briefs/ada/${name}`;
    for (const [{ username, client }, permission] of [
      [grace, 'write'],
      [alan, 'read'],
    ] as const) {
      const { data } = await ada.client.put(`${path}/collaborators/${username}`, { permission });
      await client.patch(`/user/brief_invitations/${data.id}`);
    }
    service.advance(61_000);
    return path;
  }

  async function open(who: Person | undefined, path: string): Promise<Page> {
    const page = await openPage(who, path, service);
    pages.push(page);
    return page;
  }

  async function closeAll(): Promise<void> {
    await Promise.all(pages.splice(0).map((page) => page.close()));
  }

  /** Waits until everyone who is at a document has been told of a change that happened before. */
  async function settle(path: string): Promise<void> {
    const [one, other] = [await open(ada, path), await open(grace, path)];
    await until('a later change was told', () =>
      other.people().some((each) => each.startsWith('ada')),
    );
    await Promise.all([one.close(), other.close()]);
  }

  it('shows readers and editors to each other, each once, until they leave', async () => {
    await make('plan');
    const { data } = await ada.client.get('/briefs/ada/plan');
    service.advance(61_000);
    const reader = await open(ada, 'ada/plan');
    const second = await open(grace, 'ada/plan');
    await shows(reader, 'grace is reading');
    await shows(second, 'ada is reading');
    const editor = await open(grace, `edit/${data.id}`);
    await shows(reader, 'grace is editing');
    await shows(editor, 'ada is reading');
    await second.close();
    const third = await open(alan, 'ada/plan');
    await shows(reader, 'grace is editing', 'alan is reading');
    await shows(third, 'grace is editing', 'ada is reading');
    await editor.close();
    await third.close();
    await shows(reader);
    await closeAll();
  });

  it('shows readers the line of an editor’s caret', async () => {
    await make('caret');
    const { data } = await ada.client.get('/briefs/ada/caret');
    const user = await grace.client.get('/user');
    const reader = await open(ada, 'ada/caret');
    const editor = await open(grace, `edit/${data.id}`);
    editor.send({ type: 'join', client: `${user.data.id}/1`, known: { version: 1 } });
    editor.send({ type: 'caret', number: 0, anchor: 8, head: 16 });
    await until('a line', () => reader.places().length > 0);
    assert.deepEqual(reader.places(), [[5, 'grace']]);
    await closeAll();
  });

  it('shows programs for a minute, also to their own user', async () => {
    const path = await make('agent');
    const reader = await open(ada, 'ada/agent');
    await ada.client.get(path);
    await shows(reader, 'world (token) of ada is reading');
    await ada.client.patch(path, { content: '# Plan\n\nMore.\n' });
    await ada.client.get(path);
    await shows(reader, 'world (token) of ada is writing');
    await grace.client.post(`${path}/threads`, { body: 'Enough?' });
    await shows(reader, 'world (token) of ada is writing', 'world (token) of grace is commenting');
    service.advance(61_000);
    await shows(reader);
    await closeAll();
  });

  it('shows programs that wait, where they wait and where they were', async () => {
    await make('waited');
    const path = await make('waited-too');
    const [one, other] = [await open(grace, 'ada/waited'), await open(grace, 'ada/waited-too')];
    const agent = await connect(service, ada.client.token);
    const named = agent.call('wait_for_feedback', { documents: ['ada/waited'], wait_seconds: 50 });
    await shows(one, 'world (token) of ada waits for feedback');
    service.advance(61_000);
    await ada.client.get(path);
    await shows(other, 'world (token) of ada is reading');
    const all = agent.call('wait_for_feedback', { wait_seconds: 50 });
    await shows(other, 'world (token) of ada waits for feedback');
    await shows(one, 'world (token) of ada waits for feedback');
    for (const name of ['waited', 'waited-too']) {
      await grace.client.post(`/briefs/ada/${name}/threads`, { body: 'Here.' });
    }
    await Promise.all([named, all]);
    await agent.close();
    await closeAll();
  });

  it('shows nobody to strangers, whom it doesn’t show either', async () => {
    const path = await make('public', 'public');
    await ada.client.patch(`${path}/review-settings`, { comments: 'readers' });
    service.advance(61_000);
    const stranger = await open(eve, 'ada/public');
    const [reader, owner] = [await open(alan, 'ada/public'), await open(ada, 'ada/public')];
    await shows(reader, 'ada is reading');
    await shows(owner, 'alan is reading');
    assert.equal(stranger.told(), 0);
    await closeAll();
  });

  it('shows nobody at a secret link, except to users who can comment there', async () => {
    const path = await make('linked');
    const secretOf = async (access: string) => {
      const { data } = await ada.client.post(`${path}/links`, { access });
      return data.url.split('/').at(-1);
    };
    const [toRead, toComment] = [await secretOf('read'), await secretOf('comment')];
    service.advance(61_000);
    const others = [
      await open(undefined, `s/${toRead}`),
      await open(eve, `s/${toRead}`),
      await open(undefined, `s/${toComment}`),
    ];
    const commenting = await open(eve, `s/${toComment}`);
    const [reader, owner] = [await open(alan, 'ada/linked'), await open(ada, 'ada/linked')];
    await shows(commenting, 'ada is reading', 'alan is reading');
    await shows(reader, 'ada is reading');
    await shows(owner, 'alan is reading');
    for (const page of others) assert.equal(page.told(), 0);
    await closeAll();
  });

  it('names no program at a secret link', async () => {
    const path = await make('programs');
    const { data } = await ada.client.post(`${path}/links`, { access: 'comment' });
    service.advance(61_000);
    const commenting = await open(eve, `s/${data.url.split('/').at(-1)}`);
    const reader = await open(alan, 'ada/programs');
    const second = await createToken(service.app.context, {
      username: 'ada',
      name: 'secret plan',
      lifetimeMs: undefined,
    });
    await ada.client.get(path);
    await service.client(second.token).get(path);
    await shows(reader, 'world (token) of ada is reading', 'secret plan (token) of ada is reading');
    await shows(commenting, 'A program of ada is reading', 'alan is reading');
    await closeAll();
  });

  it('shows only those who can edit where nobody can comment', async () => {
    const path = await make('off');
    await ada.client.patch(`${path}/review-settings`, { comments: 'off' });
    service.advance(61_000);
    const [editor, reader] = [await open(grace, 'ada/off'), await open(alan, 'ada/off')];
    await shows(editor, 'alan is reading');
    await settle('ada/off');
    assert.equal(reader.told(), 0);
    await closeAll();
  });

  it('shows nobody whose access has ended, who signed out or was disabled', async () => {
    const path = await make('lost');
    const owner = await open(ada, 'ada/lost');
    const mary = await makePerson(service, 'mary');
    const { data } = await ada.client.put(`${path}/collaborators/mary`, { permission: 'read' });
    await mary.client.patch(`/user/brief_invitations/${data.id}`);
    service.advance(61_000);
    const [of1, of2] = [await open(mary, 'ada/lost'), await open(grace, 'ada/lost')];
    await shows(owner, 'grace is reading', 'mary is reading');
    await mary.visitor.post('/sign-out');
    const of3 = await open(alan, 'ada/lost');
    await shows(owner, 'alan is reading', 'grace is reading');
    assert.equal(await of1.closed, 4403);
    await ada.client.delete(`${path}/collaborators/grace`);
    await of3.close();
    await shows(owner, 'world (token) of ada is reading');
    assert.equal(await of2.closed, 4403);
    assert.deepEqual(
      of2.people().filter((each) => each.includes('world')),
      [],
    );
    const of4 = await open(alan, 'ada/lost');
    await until('alan is shown', () => owner.people().some((each) => each.startsWith('alan')));
    await setAccountDisabled(service.app.context, 'alan', true);
    await open(ada, 'ada/lost');
    assert.equal(await of4.closed, 4403);
    await until('alan is gone', () => !owner.people().some((each) => each.startsWith('alan')));
    await setAccountDisabled(service.app.context, 'alan', false);
    await closeAll();
  });

  it('changes nothing else, and stores nobody who has left', async () => {
    await make('still');
    const state = async () => {
      // Using a session makes it last longer.
      const { session, ...others } = await databaseState(service.app.context);
      return others;
    };
    const before = await state();
    const [one, other] = [await open(ada, 'ada/still'), await open(grace, 'ada/still')];
    await shows(one, 'grace is reading');
    const stored = () => service.app.context.sql.read.selectFrom('presence').selectAll().execute();
    const atStill = await stored();
    assert.equal(atStill.filter(({ via }) => via === 'web').length, 2);
    await one.close();
    await other.close();
    await until('they are gone', async () => (await stored()).every(({ via }) => via !== 'web'));
    assert.deepEqual(await state(), before);
    service.advance(61_000);
    await until('all is gone', async () => (await stored()).length === 0);
    await closeAll();
  });
});

describe('Who is at a document, on two processes', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  let service: Service;
  let other: ServeProcess;

  before(async () => {
    service = await startService({ DATA_DIR: dataDir });
    other = await startServe({ DATA_DIR: dataDir });
  });
  after(async () => {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('is shown at both, until their page is closed or the process stops', async () => {
    const [ada, grace] = [await makePerson(service, 'ada'), await makePerson(service, 'grace')];
    await ada.client.post('/user/briefs', { name: 'plan', content: 'x', visibility: 'private' });
    const path = '/briefs/ada/plan';
    const { data } = await ada.client.put(`${path}/collaborators/grace`, { permission: 'read' });
    await grace.client.patch(`/user/brief_invitations/${data.id}`);
    const program = 'world (token) of ada is reading';
    const here = await openPage(ada, 'ada/plan', service);
    const there = await openPage(grace, 'ada/plan', other);
    await shows(here, program, 'grace is reading');
    await shows(there, program, 'ada is reading');
    await ada.client.post(`${path}/threads`, { body: 'Enough?' });
    await shows(there, 'world (token) of ada is commenting', 'ada is reading');
    await here.close();
    await shows(there, 'world (token) of ada is commenting');
    const again = await openPage(ada, 'ada/plan', service);
    await other.kill('SIGTERM');
    await shows(again, 'world (token) of ada is commenting');
    await again.close();
  });
});
