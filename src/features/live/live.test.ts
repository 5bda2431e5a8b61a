import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { type Service, startService } from '../../../test/harness.ts';
import { eventsPlaced } from '../../../test/mail/post-office.ts';
import { newVisitor, PASSWORD } from '../../../test/sign-in/visitor.ts';
import { until } from '../../../test/until.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { endTakedown, takeDown } from '../moderation/takedown-service.ts';
import { sameBlocks } from './client/blocks.ts';
import { openEditor } from './editor.testing.ts';
import type { Notice } from './live-routes.ts';

/** A page's connection, and what it was told. */
interface Connection {
  socket: WebSocket;
  notices: Omit<Notice, 'position'>[];
  closed: Promise<number>;
}

describe('/live/…', () => {
  let service: Service;
  let ada: Person;
  let grace: Person;
  let eve: Person;

  before(async () => {
    service = await startService();
    ada = await makePerson(service, 'ada');
    grace = await makePerson(service, 'grace');
    eve = await makePerson(service, 'eve');
  });
  after(() => service.stop());

  async function make(name: string, visibility = 'private'): Promise<string> {
    const body = { name, content: '# Plan\n', visibility };
    assert.equal((await ada.client.post('/user/briefs', body)).status, 201);
    const path = `/briefs/ada/${name}`;
    const { data } = await ada.client.put(`${path}/collaborators/grace`, { permission: 'read' });
    await grace.client.patch(`/user/brief_invitations/${data.id}`);
    return path;
  }

  const cookieOf = ({ visitor }: Person) =>
    Array.from(visitor.cookies, ([name, value]) => `${name}=${value}`).join('; ');

  function open(
    path: string,
    headers: Record<string, string>,
    origin: string = service.webUrl,
  ): Connection {
    const url = `${service.webUrl.replace('http', 'ws')}${path}`;
    const options = { headers: { origin, ...headers } };
    const socket = new WebSocket(url, options as unknown as string[]);
    const notices: Connection['notices'] = [];
    socket.addEventListener('message', ({ data }) => {
      const { position: _, ...message } = JSON.parse(data);
      if (!message.people) notices.push(message);
    });
    const closed = new Promise<number>((resolve) => {
      socket.addEventListener('close', ({ code }) => resolve(code));
    });
    return { socket, notices, closed };
  }

  async function follow(who: Person, path: string): Promise<Connection> {
    await eventsPlaced(service);
    const connection = open(path, { cookie: cookieOf(who) });
    const refused = connection.closed.then((code) => assert.fail(`It was closed: ${code}.`));
    await Promise.race([once(connection.socket, 'open'), refused]);
    refused.catch(() => {});
    // The hub knows the feed's position a moment later.
    await new Promise((resolve) => setTimeout(resolve, 100));
    return connection;
  }

  async function isRefused(connection: Connection): Promise<void> {
    assert.equal(await connection.closed, 1006);
    assert.deepEqual(connection.notices, []);
  }

  it('tells readers of each event, with its author, at once', async () => {
    const path = await make('told');
    const connection = await follow(grace, '/live/ada/told');
    await ada.client.patch(path, { content: '# Plan\n\nMore.\n' });
    await ada.client.post(`${path}/threads`, { body: 'Enough?' });
    const deeds = () => connection.notices.flatMap((notice) => notice.deeds);
    await until('two deeds', () => deeds().length >= 2);
    assert.deepEqual(deeds(), [
      'ada with world (token) changed',
      'ada with world (token) commented on',
    ]);
    assert.equal(connection.notices.at(-1)?.version, 2);
    connection.socket.close();
  });

  it('names no one to people who read only because the document is public', async () => {
    const path = await make('seen', 'public');
    const connection = await follow(eve, '/live/ada/seen');
    await ada.client.patch(path, { content: '# Plan\n\nMore.\n' });
    await until('a notice', () => connection.notices.length > 0);
    assert.deepEqual(connection.notices, [{ version: 2, deeds: [] }]);
    // Nor that there are comments that they don't see.
    const insider = await follow(grace, '/live/ada/seen');
    await ada.client.post(`${path}/threads`, { body: 'Enough?' });
    await until('a notice for insiders', () => insider.notices.length === 1);
    assert.equal((await ada.client.patch(path, { content: '# Plan\n\nLess.\n' })).status, 200);
    await until('the next notice', () => connection.notices.length > 1);
    assert.deepEqual(connection.notices.slice(1), [{ version: 3, deeds: [] }]);
    await ada.client.patch(`${path}/review-settings`, { comments: 'readers' });
    await ada.client.post(`${path}/threads`, { body: 'For all' });
    await until('a notice of the comment', () => connection.notices.length === 3);
    insider.socket.close();
    connection.socket.close();
  });

  it('refuses other sites, signed-out visitors, and documents that one can’t read', async () => {
    await make('closed');
    const cookie = cookieOf(grace);
    await isRefused(open('/live/ada/closed', { cookie }, 'https://evil.example'));
    await isRefused(open('/live/ada/closed', {}));
    await isRefused(open('/live/ada/closed', { cookie: cookieOf(eve) }));
    await isRefused(open('/live/ada/missing', { cookie }));
    await isRefused(open('/live/s/nothing', {}));
    const statusOf = async (path: string, headers: Record<string, string>) =>
      (await fetch(service.webUrl + path, { headers: { origin: service.webUrl, ...headers } }))
        .status;
    assert.equal(await statusOf('/live/ada/closed', { cookie }), 426);
    assert.equal(await statusOf('/live/ada/closed', {}), 401);
    const hidden = { cookie: cookieOf(eve) };
    assert.equal(await statusOf('/live/ada/closed', hidden), 404);
    assert.equal(await statusOf('/live/ada/missing', hidden), 404);
  });

  it('ends at once when the document is taken down, for readers, editors and at links', async () => {
    const path = await make('hidden');
    const { id } = (await ada.client.get(path)).data;
    const url = (await ada.client.post(`${path}/links`, { access: 'read' })).data.url as string;
    const open = [
      await follow(ada, '/live/ada/hidden'),
      await follow(grace, '/live/ada/hidden'),
      await follow(ada, `/live/edit/${id}`),
      await follow(eve, `/live${new URL(url).pathname}`),
    ];
    const ref = { kind: 'brief', owner: 'ada', name: 'hidden' } as const;
    await takeDown(service.app.context, undefined, ref, { reason: 'Spam.' });
    for (const { closed } of open) assert.equal(await closed, 4403);
    assert.deepEqual(
      open.flatMap(({ notices }) => notices),
      [],
    );
    await endTakedown(service.app.context, undefined, ref);
  });

  it('ends with access and with the session, before it tells anything', async () => {
    const path = await make('lost');
    const reader = await follow(grace, '/live/ada/lost');
    await ada.client.delete(`${path}/collaborators/grace`);
    await ada.client.patch(path, { content: '# Secret\n' });
    assert.equal(await reader.closed, 4403);
    assert.deepEqual(reader.notices, []);

    const owner = await makePerson(service, 'mary');
    await owner.client.post('/user/briefs', { name: 'own', content: 'x', visibility: 'private' });
    const session = await follow(owner, '/live/mary/own');
    await owner.visitor.post('/sign-out');
    await owner.client.patch('/briefs/mary/own', { content: 'y' });
    assert.equal(await session.closed, 4403);
    assert.deepEqual(session.notices, []);
  });

  it('connects again after its reader proved who they are, but not with the old cookie', async () => {
    const owner = await makePerson(service, 'nora');
    const brief = { name: 'own', content: 'x', visibility: 'private' };
    const { data } = await owner.client.post('/user/briefs', brief);
    const stolen = cookieOf(owner);
    const page = await follow(owner, '/live/nora/own');
    const editor = open(`/live/edit/${data.id}`, { cookie: stolen });
    await once(editor.socket, 'open');
    const password = 'another odd walnut';
    await owner.visitor.post('/settings/password', { current: PASSWORD, password });
    await owner.client.patch('/briefs/nora/own', { content: 'y' });
    // The browser's script then connects again, rather than taking the access for lost.
    assert.deepEqual(await Promise.all([page.closed, editor.closed]), [1012, 1012]);
    assert.deepEqual(page.notices, []);
    await isRefused(open('/live/nora/own', { cookie: stolen }));
    const again = await follow(owner, '/live/nora/own');
    await owner.client.patch('/briefs/nora/own', { content: 'z' });
    await until('a notice', () => again.notices.length > 0);
    again.socket.close();
  });

  it('ends when a link is revoked', async () => {
    const path = await make('linked');
    const { data } = await ada.client.post(`${path}/links`, { access: 'read' });
    const secret = data.url.split('/').at(-1);
    await eventsPlaced(service);
    const connection = open(`/live/s/${secret}`, {});
    await once(connection.socket, 'open');
    await new Promise((resolve) => setTimeout(resolve, 100));
    await ada.client.patch(path, { content: '# Plan\n\nMore.\n' });
    await until('a notice', () => connection.notices.length > 0);
    assert.deepEqual(connection.notices, [{ version: 2, deeds: [] }]);
    await ada.client.delete(`${path}/links/${data.id}`);
    await ada.client.patch(path, { content: '# Plan\n\nLess.\n' });
    assert.equal(await connection.closed, 4403);
    assert.equal(connection.notices.length, 1);
  });

  it('tells readers how far somebody types, and their pages get the words, nobody else', async () => {
    const path = await make('typed', 'public');
    const { data } = await ada.client.get(path);
    const headers = { origin: service.webUrl, cookie: cookieOf(ada) };
    const url = `${service.webUrl.replace('http', 'ws')}/live/edit/${data.id}`;
    const accountId = (await ada.client.get('/user')).data.id;
    const editor = await openEditor({ url, headers, accountId }, { version: 1, text: '# Plan\n' });
    const connection = await follow(eve, '/live/ada/typed');
    editor.type(7, '\nUnsaved <b>words</b>.\n');
    // Without a pause, no revision is made.
    const typing = setInterval(() => editor.type(editor.text().length, 'x'), 500);
    const told = () => connection.notices.map((notice) => (notice as { typed?: string }).typed);
    await until('it is told', () => told().some((state) => typeof state === 'string'));
    const state = told().at(-1) as string;
    const read = async (visitor: Person['visitor'], more: Record<string, string>) =>
      (await visitor.get('/read/ada/typed', more)).text;
    assert.match(await read(eve.visitor, { 'x-typed-text': state }), /Unsaved <b>words<\/b>/);
    for (const odd of ['', 'x', `${state}9999999999`, '.-1', 'a.b.c']) {
      assert.match(await read(eve.visitor, { 'x-typed-text': odd }), /Unsaved/);
    }
    assert.doesNotMatch(await read(eve.visitor, {}), /Unsaved/);
    const address = `${service.webUrl}/ada/typed`;
    for (const accept of ['text/html', 'text/markdown']) {
      const sent = { headers: { accept, 'x-typed-text': state } };
      assert.doesNotMatch(await (await fetch(address, sent)).text(), /Unsaved/);
    }
    assert.equal((await ada.client.get(path)).data.content, '# Plan\n');
    // What is typed when a public document gets protected needs an approval.
    const setting = { protected: true };
    assert.equal((await ada.client.patch(`${path}/review-settings`, setting)).status, 200);
    assert.doesNotMatch(await read(eve.visitor, { 'x-typed-text': state }), /Unsaved/);
    assert.doesNotMatch(await read(ada.visitor, { 'x-typed-text': state }), /Unsaved/);
    clearInterval(typing);
    editor.cut();
    connection.socket.close();
  });

  it('is closed to those who were not told a link’s password', async () => {
    const path = await make('locked');
    const body = { access: 'read', password: 'walnut pie' };
    const { data } = await ada.client.post(`${path}/links`, body);
    const secret = data.url.split('/').at(-1);
    const statusFor = async (cookie: string) => {
      const headers = { origin: service.webUrl, cookie };
      return (await fetch(`${service.webUrl}/live/s/${secret}`, { headers })).status;
    };
    assert.equal(await statusFor(cookieOf(eve)), 401);
    const told = newVisitor(service);
    await told.post(`/s/${secret}/password`, { password: body.password });
    const cookie = [...told.cookies].map((pair) => pair.join('=')).join('; ');
    assert.equal(await statusFor(cookie), 426);
  });

  it('ends if the client sends anything, and an account has 64', async () => {
    await make('crowded');
    const talker = await follow(grace, '/live/ada/crowded');
    talker.socket.send('hello');
    assert.equal(await talker.closed, 1008);
    const all = Array.from({ length: 64 }, () =>
      open('/live/ada/crowded', { cookie: cookieOf(grace) }),
    );
    await Promise.all(all.map(({ socket }) => once(socket, 'open')));
    const beyond = open('/live/ada/crowded', { cookie: cookieOf(grace) });
    assert.equal(await beyond.closed, 4429, 'a code that pages can read');
    for (const { socket } of all) socket.close();
    await Promise.all(all.map(({ closed }) => closed));
    const again = await follow(grace, '/live/ada/crowded');
    again.socket.close();
  });

  it('counts no connections that were never opened', async () => {
    await make('unopened');
    const { hostname, port } = new URL(service.webUrl);
    const head =
      `GET /live/ada/unopened HTTP/1.1\r\nHost: ${hostname}:${port}\r\n` +
      `Connection: Upgrade\r\nUpgrade: websocket\r\nOrigin: ${service.webUrl}\r\n` +
      `Cookie: ${cookieOf(grace)}\r\nSec-WebSocket-Version: 13\r\n`;
    for (let count = 0; count < 64; count += 1) {
      const socket = connect(Number(port), hostname);
      socket.write(`${head}Sec-WebSocket-Key: none\r\n\r\n`);
      assert.match(await text(socket), /^HTTP\/1\.1 400 /);
      const gone = connect(Number(port), hostname, () => {
        gone.write(`${head}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`, () => {
          gone.resetAndDestroy();
        });
      });
      await once(gone, 'close');
    }
    const connection = await follow(grace, '/live/ada/unopened');
    connection.socket.close();
  });

  it('ends when the process stops, and the page then connects again', async () => {
    const own = await startService();
    const mary = await makePerson(own, 'mary');
    await mary.client.post('/user/briefs', { name: 'own', content: 'x' });
    const url = `${own.webUrl.replace('http', 'ws')}/live/mary/own`;
    const options = { headers: { origin: own.webUrl, cookie: cookieOf(mary) } };
    const socket = new WebSocket(url, options as unknown as string[]);
    await once(socket, 'open');
    const closed = once(socket, 'close');
    await own.stop();
    const [{ code }] = (await closed) as [CloseEvent];
    assert.ok([1001, 1005, 1012].includes(code), String(code));
  });

  it('other upgrades get the usual response', async () => {
    const { hostname, port } = new URL(service.webUrl);
    const socket = connect(Number(port), hostname);
    socket.write(
      `GET /healthz HTTP/1.1\r\nHost: ${hostname}:${port}\r\n` +
        'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n',
    );
    assert.match(await text(socket), /^HTTP\/1\.1 200 OK\r\n.*\{"status":"ok"\}/s);
  });
});

describe('Blocks of a document', () => {
  const cases: [string, string, string][] = [
    ['abc', 'abc', '0,1,2'],
    ['abc', 'abXc', '0,1,-,2'],
    ['abc', 'ac', '0,2'],
    ['', 'ab', '-,-'],
    ['ab', '', ''],
    ['aab', 'aaab', '0,1,-,2'],
    ['abcdef', 'aXcYef', '0,-,2,-,4,5'],
    ['abcd', 'dabc', '-,0,1,2'],
    ['abcd', 'bacd', '-,0,2,3'],
  ];
  for (const [old, next, expected] of cases) {
    it(`“${old}” → “${next}”: the longest part in common stays`, () => {
      const kept = sameBlocks([...old], [...next]);
      const shown = kept.map((at) => at ?? '-').join(',');
      assert.equal(
        kept.filter((at) => at !== undefined).length,
        expected.replace(/[^\d]/g, '').length,
      );
      for (const [index, at] of kept.entries()) {
        if (at !== undefined) assert.equal(next[index], old[at]);
      }
      if (old !== 'abcd') assert.equal(shown, expected);
    });
  }
});
