import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { type Answer, readAnswer, type Service, startService } from '../../../test/harness.ts';
import { eventsPlaced } from '../../../test/mail/post-office.ts';
import { until as untilNamed } from '../../../test/until.ts';
import { formWith, submit, toastOf } from '../../../test/web-app/forms.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { startReceiver } from '../../../test/webhook/receiver.ts';
import { applied, readChanges, textOf } from '../../core/live/live-text.ts';
import { listTextWrites } from '../../core/review/review-store.ts';
import type { Revision } from '../../core/revision/revision.ts';
import { openEditor, type TestEditor } from './editor.testing.ts';

const until = (isDone: () => boolean | Promise<boolean>) =>
  untilNamed('what the test expects', isDone);

describe('Editing together', () => {
  let service: Service;
  let ada: Person;
  let grace: Person;
  let eve: Person;
  const open: TestEditor[] = [];

  before(async () => {
    service = await startService({ WEBHOOK_PRIVATE_ADDRESSES: 'allow' });
    ada = await makePerson(service, 'ada');
    grace = await makePerson(service, 'grace');
    eve = await makePerson(service, 'eve');
  });
  after(async () => {
    for (const editor of open) editor.cut();
    await Promise.all(open.map(({ closed }) => closed));
    await service.stop();
  });

  async function make(name: string, content: string, permission = 'write') {
    const body = { name, content, visibility: 'private' };
    const { data } = await ada.client.post('/user/briefs', body);
    const path = `/briefs/ada/${name}`;
    const added = await ada.client.put(`${path}/collaborators/grace`, { permission });
    await grace.client.patch(`/user/brief_invitations/${added.data.id}`);
    return { id: data.id as string, path, content };
  }

  const accountOf = async ({ client }: Person) => (await client.get('/user')).data.id as string;

  const cookieOf = ({ visitor }: Person) =>
    Array.from(visitor.cookies, ([name, value]) => `${name}=${value}`).join('; ');

  async function edit(
    who: Person,
    { id, content }: { id: string; content: string },
    version = 1,
  ): Promise<TestEditor> {
    const { data } = await who.client.get('/user');
    const url = `${service.webUrl.replace('http', 'ws')}/live/edit/${id}`;
    const headers = { origin: service.webUrl, cookie: cookieOf(who) };
    const editor = await openEditor(
      { url, headers, accountId: data.id },
      { version, text: content },
    );
    open.push(editor);
    return editor;
  }

  const same = (editors: TestEditor[], text: string) =>
    until(() => editors.every((each) => each.text() === text && each.isSent()));

  it('shows each what the other types, and makes it a revision of both', async () => {
    const brief = await make('both', '# Plan\n\nOne.\n');
    const [one, other] = [await edit(ada, brief), await edit(grace, brief)];
    one.type(12, ' Two');
    other.type(2, 'The ');
    await same([one, other], '# The Plan\n\nOne. Two\n');
    assert.deepEqual(other.authors, ['ada']);
    assert.deepEqual(one.authors, ['grace']);
    one.send({ type: 'save' });
    await until(() => one.document()?.version === 2 && other.document()?.version === 2);
    assert.equal((await ada.client.get(brief.path)).data.content, '# The Plan\n\nOne. Two\n');
  });

  it('names a version, and says who wrote it, in which sitting', async () => {
    const brief = await make('named', 'One.\n');
    const [one, other] = [await edit(ada, brief), await edit(grace, brief)];
    one.type(4, ' Two.');
    await same([one, other], 'One. Two.\n');
    other.type(9, ' Three.');
    await same([one, other], 'One. Two. Three.\n');
    const saved = (editor: TestEditor) => editor.messages.findLast(({ type }) => type === 'saved');
    one.send({ type: 'save', message: 'The first three' });
    await until(() => saved(one) !== undefined);
    assert.deepEqual(saved(one), { type: 'saved', isNamed: true });
    other.type(16, ' Four.');
    await until(() => other.isSent());
    other.send({ type: 'save' });
    await until(() => saved(other) !== undefined);
    const { data } = await ada.client.get(`${brief.path}/revisions`);
    const shown = data.map(({ number, author, coAuthors, message, sitting }: Revision) => {
      return [number, author, coAuthors, message, sitting?.first, sitting?.last];
    });
    assert.deepEqual(shown, [
      [3, 'grace', [], null, 2, 3],
      [2, 'grace', ['ada'], 'The first three', 2, 3],
      [1, 'ada', [], null, undefined, undefined],
    ]);
    // Approvals of all of them count as those of authors.
    const [write] = await listTextWrites(service.app.context.sql.read, brief.id, 1);
    const accounts = [ada, grace].map(accountOf);
    assert.deepEqual(write?.writers.toSorted(), (await Promise.all(accounts)).sort());
    const { text } = await ada.visitor.get('/history/ada/named');
    assert.match(text.replaceAll(/<[^>]*>/g, ''), /grace and ada/);
    // Each one's words stay their own.
    const { data: authorship } = await ada.client.get(`${brief.path}/authorship`);
    const parts = authorship.spans.map(({ start, end, source }: Record<string, number>) => {
      const { author, revision } = authorship.sources[source as number];
      return [author, revision, 'One. Two. Three. Four.\n'.slice(start, end)];
    });
    assert.deepEqual(parts, [
      ['ada', 1, 'One.'],
      ['ada', 2, ' Two.'],
      ['grace', 2, ' Three.'],
      ['grace', 3, ' Four.'],
      ['ada', 1, '\n'],
    ]);
  });

  it('merges what both type in one word at the same time', async () => {
    const brief = await make('word', 'abcdef\n');
    const [one, other] = [await edit(ada, brief), await edit(grace, brief)];
    for (let count = 0; count < 20; count += 1) {
      one.type(1, 'x');
      other.type(4, 'y');
    }
    await until(() => one.text() === other.text() && one.isSent() && other.isSent());
    const text = one.text();
    assert.equal(text.replaceAll('x', '').replaceAll('y', ''), 'abcdef\n');
    assert.equal(text.split('x').length, 21);
    assert.equal(text.split('y').length, 21);
  });

  it('shows what a program writes, with its author, and loses nothing unsaved', async () => {
    const brief = await make('program', 'One.\n\nTwo.\n');
    const [one, other] = [await edit(ada, brief), await edit(grace, brief)];
    one.type(3, ' and a half');
    await same([one, other], 'One and a half.\n\nTwo.\n');
    await ada.client.patch(brief.path, { content: 'One.\n\nTwo and three.\n' });
    await same([one, other], 'One and a half.\n\nTwo and three.\n');
    one.send({ type: 'save' });
    await until(() => one.document()?.version === 3);
    const { data } = await ada.client.get(brief.path);
    assert.equal(data.content, 'One and a half.\n\nTwo and three.\n');
    assert.ok(
      one.messages.some((each) => each.type === 'changes' && each.changes[0]?.clientId === ''),
    );
  });

  it('goes on after a cut, with what was typed meanwhile on both sides', async () => {
    const brief = await make('cut', 'One.\n');
    const [one, other] = [await edit(ada, brief), await edit(grace, brief)];
    one.cut();
    await one.closed;
    one.type(0, 'A ');
    other.type(4, ' Two.');
    await until(() => other.isSent());
    await one.reconnect();
    await same([one, other], 'A One. Two.\n');
  });

  it('doesn’t take changes twice whose answer was lost', async () => {
    const brief = await make('twice', 'One.\n');
    const one = await edit(ada, brief);
    one.type(0, 'A ');
    // Before the answer arrives.
    one.cut();
    await one.closed;
    await one.reconnect();
    await same([one], 'A One.\n');
  });

  it('tells watchers of a sitting once, at its end', async () => {
    const brief = await make('sitting', 'One.\n');
    const added = await ada.client.put(`${brief.path}/collaborators/eve`, { permission: 'read' });
    await eve.client.patch(`/user/brief_invitations/${added.data.id}`);
    // Watchers get news of what is placed after they begin.
    await eventsPlaced(service);
    for (const { client } of [grace, eve]) {
      await client.put(`${brief.path}/subscription`, { level: 'all' });
    }
    const receiver = await startReceiver();
    after(() => receiver.close());
    const webhook = { url: receiver.url, types: ['revision.created'] };
    assert.equal((await ada.client.post('/user/webhooks', webhook)).status, 201);
    const other = await edit(grace, brief);
    const one = await edit(ada, brief);
    for (const word of ['a', 'b', 'c']) {
      one.type(0, word);
      await until(() => one.isSent());
      one.send({ type: 'save' });
      const saved = () => one.messages.filter(({ type }) => type === 'saved').length;
      await until(() => saved() === 'abc'.indexOf(word) + 1);
      if (word === 'a') {
        other.type(other.text().length, 'Two.\n');
        await until(() => other.isSent());
      }
    }
    const changes = async () => {
      await eventsPlaced(service);
      const { data } = await ada.client.get(`${brief.path}/events?after=0&per_page=100`);
      return data.items.filter(({ type }: { type: string }) => type === 'revision.created');
    };
    assert.equal((await changes()).length, 1);
    one.cut();
    other.cut();
    await until(async () => (await changes()).length === 2);
    const [, sitting] = await changes();
    assert.deepEqual(
      [sitting.author, sitting.coAuthors, sitting.firstRevision, sitting.revision],
      ['ada', ['grace'], 2, 4],
    );
    // Who wrote in it gets no news of it.
    const inboxOf = async ({ client }: Person) =>
      (await client.get('/user/inbox')).data.filter(
        ({ fullName }: { fullName: string }) => fullName === 'ada/sitting',
      );
    assert.deepEqual(await inboxOf(grace), []);
    assert.equal((await inboxOf(eve))[0].firstRevision, 2);
    const { text } = await eve.visitor.get('/inbox');
    assert.match(text.replaceAll(/<[^>]*>/g, ''), /ada and grace changed/);
    assert.match(text, /\/history\/ada\/sitting\?from=1&amp;to=4/);
    await until(() => receiver.received.length > 0);
    const told = receiver.received[0]?.json.data;
    assert.deepEqual(
      [told.revision, told.firstRevision, told.actor, told.coAuthors],
      [4, 2, 'ada', ['grace']],
    );
    const { data: revisions } = await ada.client.get(`${brief.path}/revisions`);
    assert.equal(revisions.length, 4);
  });

  it('refuses others, readers, and changes that don’t fit', async () => {
    const brief = await make('refused', 'One.\n', 'read');
    assert.equal(await (await edit(eve, brief)).closed, 1006);
    assert.equal(await (await edit(grace, brief)).closed, 1006);
    const one = await edit(ada, brief);
    const accountId = (await ada.client.get('/user')).data.id;
    const list = one.messages.find((each) => each.type === 'joined')?.list;
    const refused = async (changes: unknown[], clientId = `${accountId}/x`) => {
      const answers = () => one.messages.filter(({ type }) => type === 'refused');
      const before = answers().length;
      one.send({ type: 'push', push: { list, seen: 0, changes: [{ clientId, changes }] } });
      await until(() => answers().length > before);
      const answer = answers().at(-1);
      assert.equal(
        answer?.type === 'refused' && answer.code,
        'BAD_REQUEST',
        JSON.stringify(changes),
      );
    };
    await refused([99]);
    await refused([-5, 10]);
    await refused([5.5]);
    await refused([[0, 'a\0'], 5]);
    await refused([[0, 'a\nb'], 5]);
    await refused([[0, '\ud800'], 5]);
    await refused(['x']);
    await refused([[0, 'x'], 5], 'someone/else');
    const { data } = await ada.client.get(`${brief.path}/revisions`);
    assert.equal(data.length, 1);
  });

  it('ends when the right to edit does', async () => {
    const brief = await make('ended', 'One.\n');
    const [one, other] = [await edit(ada, brief), await edit(grace, brief)];
    other.type(0, 'Mine. ');
    await same([one, other], 'Mine. One.\n');
    await ada.client.patch(`${brief.path}/collaborators/grace`, { permission: 'read' });
    await ada.client.put(`${brief.path}/collaborators/grace`, { permission: 'read' });
    one.type(0, 'Secret. ');
    assert.equal(await other.closed, 4403);
    assert.equal(other.text(), 'Mine. One.\n');
    one.send({ type: 'save' });
    await until(async () => (await ada.client.get(brief.path)).data.content.includes('Mine.'));
  });

  it('tells who joins later where a caret is in the text of now', async () => {
    const brief = await make('carets', 'LIVE.\n');
    const [one, other] = [await edit(ada, brief), await edit(grace, brief)];
    // Sent before the editor hears that its words are stored.
    one.type(4, 'MARK');
    await same([one, other], 'LIVEMARK.\n');
    one.send({ type: 'caret', number: 0, anchor: 4, head: 4 });
    other.type(0, 'A ');
    await same([one, other], 'A LIVEMARK.\n');
    const late = await edit(grace, brief);
    await until(() => late.peers().some(({ caret }) => caret !== null));
    const [caret] = late.peers().flatMap(({ caret }) => caret ?? []);
    assert.deepEqual(caret, { number: 2, anchor: 10, head: 10 });
  });

  async function post(who: Person, id: string, body: object): Promise<Answer> {
    const accountId = (await who.client.get('/user')).data.id;
    const response = await fetch(`${service.webUrl}/live/edit/${id}`, {
      method: 'POST',
      headers: {
        cookie: cookieOf(who),
        origin: service.webUrl,
        accept: 'application/json',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ client: `${accountId}/x`, known: {}, ...body }),
    });
    return readAnswer(response);
  }

  it('takes changes by POST, too, also a whole text, but none that is too long', async () => {
    const brief = await make('posted', 'One.\n');
    const accountId = (await ada.client.get('/user')).data.id;
    const joined = await post(ada, brief.id, {});
    assert.equal(joined.status, 200, joined.text);
    assert.equal(joined.json.text, 'One.\n');
    const { list, number: seen } = joined.json;
    const change = (changes: unknown[]) => ({
      list,
      seen,
      changes: [{ clientId: `${accountId}/x`, changes }],
    });
    const long = 'x'.repeat(600_000);
    const pushed = await post(ada, brief.id, {
      known: { list, number: seen },
      push: change([[5, long]]),
    });
    assert.equal(pushed.status, 200, pushed.text.slice(0, 200));
    assert.equal(pushed.json.changes.length, 1);
    const again = {
      list,
      seen: 1,
      changes: [{ clientId: `${accountId}/x`, changes: [600_000, [0, long]] }],
    };
    const refused = await post(ada, brief.id, { known: { list, number: 1 }, push: again });
    assert.equal(refused.status, 413, refused.text.slice(0, 200));
    const other = await edit(grace, brief);
    assert.equal(other.text(), long);
    assert.equal((await post(eve, brief.id, {})).status, 404);
    const foreign = { client: `${accountId}/x` };
    assert.equal((await post(grace, brief.id, foreign)).status, 403);
    for (const body of [
      { known: 1 },
      { push: {} },
      { known: { number: -1 } },
      { push: { list, seen: 0, changes: [{}] } },
    ]) {
      assert.equal((await post(ada, brief.id, body)).status, 400, JSON.stringify(body));
    }
  });

  it('ends connections that send too much, too fast, or something else', async () => {
    const brief = await make('hostile', 'One.\n');
    const flood = await edit(grace, brief);
    for (let count = 0; count < 300; count += 1) {
      flood.send({ type: 'caret', number: 0, anchor: 0, head: 0 });
    }
    assert.equal(await flood.closed, 1008);
    const large = await edit(grace, brief);
    large.send({ type: 'caret', number: 0, anchor: 0, head: 0, more: 'x'.repeat(200_000) });
    assert.equal(await large.closed, 1009);
    for (const message of [{ type: 'other' }, { type: 'push' }, { type: 'caret', anchor: -1 }]) {
      const strange = await edit(grace, brief);
      strange.send(message);
      assert.equal(await strange.closed, 1008);
    }
    const one = await edit(ada, brief);
    one.type(0, 'Still here. ');
    await same([one], 'Still here. One.\n');
  });

  it('keeps no changes that repeat an erased text', async () => {
    const brief = await make('erased', 'One.\n');
    const one = await edit(ada, brief);
    const save = async (version: number) => {
      await until(() => one.isSent());
      one.send({ type: 'save' });
      await until(() => one.document()?.version === version);
    };
    one.type(0, 'hunter22 ');
    await save(2);
    one.type(0, '', 9);
    await save(3);
    const { status } = await ada.client.delete(`${brief.path}/revisions/2`);
    assert.equal(status, 204);
    const list = one.messages.find((each) => each.type === 'joined')?.list;
    const joined = await post(ada, brief.id, { known: { list, number: 0 } });
    assert.equal(joined.json.text, 'One.\n');
    assert.doesNotMatch(joined.text, /hunter22/);
    one.type(0, 'And ');
    await save(4);
    assert.equal((await ada.client.get(brief.path)).data.content, 'And One.\n');
  });

  it('sends the whole text to editors that have missed too much', async () => {
    const brief = await make('missed', 'One.\n');
    const accountId = (await ada.client.get('/user')).data.id;
    const { json: begun } = await post(ada, brief.id, {});
    const clientId = `${accountId}/x`;
    const part = 'x'.repeat(900_000);
    const toAndFro = [
      { clientId, changes: [[0, part], 5] },
      { clientId, changes: [[900_000], 5] },
    ];
    for (let seen = 0; seen < 20; seen += 2) {
      const push = { list: begun.list, seen, changes: toAndFro };
      const known = { list: begun.list, number: seen };
      assert.equal((await post(ada, brief.id, { known, push })).status, 200);
    }
    const late = await post(ada, brief.id, { known: { list: begun.list, number: 0 } });
    assert.equal(late.json.text, 'One.\n');
    const more = { list: begun.list, seen: 20, changes: [{ clientId, changes: [5, [0, 'x']] }] };
    const full = await post(ada, brief.id, { known: {}, push: more });
    assert.equal(full.status, 429);
    const one = await edit(grace, brief);
    one.send({ type: 'save' });
    await until(() => one.messages.some(({ type }) => type === 'saved'));
    assert.equal((await post(ada, brief.id, { known: {}, push: more })).status, 200);
    await until(() => one.text() === 'One.\nx');
  });

  it('applies changes of many places in a long line at once', () => {
    const length = 5_000_000;
    const before = { listId: '', number: 0, text: textOf('a'.repeat(length)), sizeBytes: length };
    const places = Array.from({ length: 20_000 }, () => [1, [1, 'b']]).flat();
    const [change] = readChanges([{ clientId: '', changes: [...places, length - 40_000] }]);
    const { text, sizeBytes } = applied(before, change ? [change.changes] : []);
    assert.equal(sizeBytes, length);
    assert.equal(text.sliceString(39_996, 40_004), 'ababaaaa');
    assert.equal(text.length, length);
  });

  it('ends with the session, before anything else is stored', async () => {
    const brief = await make('signed-out', 'One.\n');
    const alan = await makePerson(service, 'alan');
    const added = await ada.client.put(`${brief.path}/collaborators/alan`, { permission: 'write' });
    await alan.client.patch(`/user/brief_invitations/${added.data.id}`);
    const one = await edit(alan, brief);
    await alan.visitor.post('/sign-out');
    one.type(0, 'Too late. ');
    assert.equal(await one.closed, 4403);
    assert.equal((await ada.client.get(brief.path)).data.content, 'One.\n');
  });

  it('says why it ends: another account’s editor, and a right that ended', async () => {
    const brief = await make('reasons', 'One.\n');
    const [one, other] = [await edit(ada, brief), await edit(grace, brief)];
    const { data: user } = await ada.client.get('/user');
    other.send({ type: 'join', client: `${user.id}/1`, known: {} });
    assert.equal(await other.closed, 4403);
    const [refusal] = other.messages.filter(({ type }) => type === 'refused');
    assert.deepEqual(refusal, {
      type: 'refused',
      code: 'FORBIDDEN',
      field: 'account',
      message:
        'account: You’re now signed in as grace, but another user wrote this. ' +
        'Sign in as that user, then save again.',
    });
    const late = await edit(grace, brief);
    await ada.client.delete(brief.path);
    one.type(0, 'Too late. ');
    assert.equal(await one.closed, 4403);
    assert.equal(await late.closed, 4403);
    for (const { type } of late.messages) assert.notEqual(type, 'refused', 'asked for nothing');
  });

  it('goes along with a rename, and survives deleting and restoring', async () => {
    const brief = await make('renamed', 'One.\n');
    const one = await edit(ada, brief);
    await ada.client.patch(brief.path, { name: 'new-name' });
    await until(() => one.document()?.path === '/edit/ada/new-name');
    one.type(0, 'A ');
    await same([one], 'A One.\n');
    await ada.client.delete('/briefs/ada/new-name');
    assert.equal(await one.closed, 4403);
    const { data: trash } = await ada.client.get('/user/trash');
    await ada.client.post(`/trash/${trash[0].id}/restore`);
    const back = await edit(ada, { ...brief, content: 'One.\n' });
    await same([back], 'A One.\n');
    back.send({ type: 'save' });
    await until(
      async () => (await ada.client.get('/briefs/ada/new-name')).data.content === 'A One.\n',
    );
  });

  for (const isShared of [false, true]) {
    const whose = isShared ? 'all who wrote it, none of whom can accept it' : 'its writer';
    it(`makes what isn’t saved when the document is protected a proposal of ${whose}`, async () => {
      // On a busy machine, what is typed may be saved before the document is protected.
      for (let number = 1; ; number += 1) {
        const name = `guarded-${isShared}-${number}`;
        const brief = await make(name, 'One.\n', 'admin');
        const added = await ada.client.put(`${brief.path}/collaborators/eve`, {
          permission: 'admin',
        });
        await eve.client.patch(`/user/brief_invitations/${added.data.id}`);
        await ada.client.patch(brief.path, { visibility: 'public' });
        const [one, other] = [await edit(grace, brief), await edit(ada, brief)];
        if (isShared) other.type(4, ' Two.');
        await same([one, other], isShared ? 'One. Two.\n' : 'One.\n');
        one.type(0, 'Mine. ');
        await same([one, other], isShared ? 'Mine. One. Two.\n' : 'Mine. One.\n');
        const settings = { protected: true, twoPeople: true };
        await ada.client.patch(`${brief.path}/review-settings`, settings);
        one.type(0, 'Late. ');
        // The connection can end before.
        let isOver = false;
        void one.closed.then(() => {
          isOver = true;
        });
        await until(() => isOver || one.messages.some(({ type }) => type === 'refused'));
        for (const each of [one, other]) each.cut();
        const contentNow = async () => (await ada.client.get(brief.path)).data.content;
        if ((await contentNow()) !== 'One.\n' && number < 5) continue;
        const threads = async () => (await ada.client.get(`${brief.path}/threads`)).data;
        await until(async () => (await threads())[0]?.kind === 'proposal');
        assert.equal(await contentNow(), 'One.\n');
        const [{ id, comments }, ...more] = await threads();
        assert.deepEqual(more, []);
        assert.match(comments[0].body, isShared ? /@grace, @ada / : /@grace /);
        const accept = async ({ visitor }: Person) => {
          const page = await visitor.get(`/propose/ada/${name}?thread=${id}`);
          const done = await submit(visitor, `/read/ada/${name}`, formWith(page, 'Accept').fields);
          return toastOf(done);
        };
        assert.match(await accept(grace), /^You wrote this suggestion yourself/);
        if (isShared) assert.match(await accept(ada), /^You wrote this suggestion yourself/);
        assert.match(await accept(isShared ? eve : ada), /^Accepted/);
        assert.equal(await contentNow(), one.text().replace('Late. ', ''));
        const [write] = await listTextWrites(service.app.context.sql.read, brief.id, 1);
        const accounts = (isShared ? [ada, grace] : [grace]).map(accountOf);
        assert.deepEqual(write?.writers.toSorted(), (await Promise.all(accounts)).sort());
        // What its author hasn't seen outdates their approvals.
        assert.equal(write?.seenBy === null, isShared);
        return;
      }
    });
  }
});
