import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { sql } from 'kysely';
import { indexedIds } from '../../../test/document/indexed-ids.ts';
import { actorOf, makeReaders, type Readers } from '../../../test/document/readers.ts';
import { type Service, startService } from '../../../test/harness.ts';
import { expectStatus } from '../../../test/rest/scenario.ts';
import { STACK, stackSettings } from '../../../test/stack.ts';
import { TookTooLong } from '../../base/errors.ts';
import { VIA_WEB } from '../../base/schema/means.ts';
import { lengthOf } from '../../base/search/search-text.ts';
import { readConfig } from '../../core/config/read-config.ts';
import { type Actor, type Call, type Context, callOf } from '../../core/context.ts';
import { createDocument, deleteDocument } from '../../core/document/document-service.ts';
import { updateDocument } from '../../core/document/merge-service.ts';
import { createAccount } from '../../core/identity/account-service.ts';
import type { OwnerRef } from '../../core/owner/document-owner-service.ts';
import { createOrganization } from '../../core/owner/organization-service.ts';
import { closeContext, openContext } from '../../open-context.ts';
import { acceptInvitation, invitationById } from '../invitations/answer-service.ts';
import { inviteOrChangeMember } from '../organizations/member-service.ts';
import { acceptMembership, leaveOrganization } from '../organizations/membership-service.ts';
import { inviteOrChangeCollaborator, removeCollaborator } from '../sharing/collaborator-service.ts';
import { startIndexer } from './indexer.ts';
import { indexPending } from './search-index-service.ts';
import { type SearchItem, searchDocuments } from './search-service.ts';
import { listReachableOrganizations } from './search-store.ts';

const home = mkdtempSync(join(tmpdir(), 'briefs-test-'));
after(() => rmSync(home, { recursive: true, force: true }));

const isEmbedded = STACK === 'embedded' || !process.env.TEST_DATABASE_URL;

/** The services' context, without a background indexer. */
async function openAt(name: string, overrides: { now?: () => string } = {}): Promise<Context> {
  const dataDir = join(home, name);
  const settings = await stackSettings(dataDir);
  return openContext(readConfig({ DATA_DIR: dataDir, ...settings }), overrides);
}

async function indexAll(context: Context): Promise<void> {
  while ((await indexPending(context, 5)).done > 0);
}

async function makeActor(context: Context, username: string): Promise<Actor> {
  const { id } = await createAccount(context, { username, email: `${username}@example.com` });
  return { id, username, scopes: [], via: VIA_WEB };
}

async function find(
  call: Call,
  query: string,
  page?: Partial<Parameters<typeof searchDocuments>[1]>,
): Promise<SearchItem[]> {
  return (await searchDocuments(call, { query, size: 50, ...page })).items;
}

const namesOf = (items: { name: string }[]) => items.map(({ name }) => name);
const ownedBy = ({ username }: Actor): OwnerRef => ({ type: 'user', namespace: username });
const briefOf = (owner: string, name: string) => ({ kind: 'brief', owner, name }) as const;

/** The parts of an excerpt that are matches. */
const matchesOf = ({ excerpt: { text, matches } }: SearchItem) =>
  matches.map(([start, end]) => text.slice(start, end));

describe('Search results', () => {
  let service: Service;
  let readers: Readers;

  before(async () => {
    service = await startService();
    readers = await makeReaders(service, (name) => `<p>Zirkonium in ${name}</p>`);
  });
  after(() => service.stop());

  async function settle(): Promise<void> {
    const { sql } = service.app.context;
    const giveUpAt = Date.now() + 60_000;
    for (;;) {
      const waiting = await sql.read.selectFrom('search_pending').selectAll().execute();
      if (waiting.length === 0) return;
      assert.ok(Date.now() < giveUpAt, 'the service indexes what was written');
      await sleep(20);
    }
  }

  it('every user finds exactly what they can read, by text and by name', async () => {
    await settle();
    for (const username of readers.usernames) {
      const actor = await actorOf(service, username);
      for (const [query, has] of [
        ['zirkonium', () => true],
        ['private zirk', (name: string) => name.includes('private')],
      ] as const) {
        const expected = readers.scenes
          .filter((scene) => readers.rankOf(username, scene) > 0 && has(scene.name))
          .map(({ name }) => name);
        const found = await find(callOf(service.app.context, actor), query);
        assert.deepEqual(namesOf(found).sort(), expected.sort(), `${username}: ${query}`);
      }
    }
  });

  it('typos are corrected only with documents that the user can read', async () => {
    await settle();
    for (const username of readers.usernames) {
      const actor = await actorOf(service, username);
      const expected = readers.scenes
        .filter((scene) => readers.rankOf(username, scene) > 0 && scene.name.includes('private'))
        .map(({ name }) => name);
      const found = await find(callOf(service.app.context, actor), 'prviate');
      assert.deepEqual(namesOf(found).sort(), expected.sort(), username);
    }
  });

  it('a written document is found a moment later, a deleted one is gone at once', async () => {
    const { keeper } = readers;
    const actor = await actorOf(service, 'keeper');
    const body = { content: 'Molybdän', name: 'metal' };
    await expectStatus(keeper.post('/user/briefs', body), 201);
    await settle();
    assert.deepEqual(namesOf(await find(callOf(service.app.context, actor), 'molybdan')), [
      'metal',
    ]);
    await expectStatus(keeper.patch('/briefs/keeper/metal', { content: 'Rhodium' }), 200);
    await settle();
    assert.deepEqual(await find(callOf(service.app.context, actor), 'molybdan'), []);
    assert.deepEqual(namesOf(await find(callOf(service.app.context, actor), 'rhodium')), ['metal']);
    await expectStatus(keeper.delete('/briefs/keeper/metal'), 204);
    assert.deepEqual(await find(callOf(service.app.context, actor), 'rhodium'), []);
  });
});

describe('A stale search index', () => {
  let context: Context;
  let ada: Actor;
  let grace: Actor;

  before(async () => {
    context = await openAt('stale');
    [ada, grace] = [await makeActor(context, 'ada'), await makeActor(context, 'grace')];
    await createOrganization(callOf(context, ada), { namespace: 'guild', name: 'Guild' });
    await inviteOrChangeMember(callOf(context, ada), 'guild', 'grace', 'member');
    await acceptMembership(callOf(context, grace), 'guild');
  });
  after(() => closeContext(context));

  const create = (name: string, visibility: 'public' | 'private' | 'internal', org = false) =>
    createDocument(
      callOf(context, ada),
      'brief',
      org ? { type: 'organization', namespace: 'guild' } : ownedBy(ada),
      { content: `about ${name}`, name, visibility },
    );
  const seenByGrace = async (name: string) =>
    (await find(callOf(context, grace), name)).map(({ excerpt }) => excerpt.text);

  it('doesn’t show documents that became private', async () => {
    await create('opened', 'public');
    await indexAll(context);
    assert.deepEqual(await seenByGrace('opened'), ['about opened']);
    const change = { visibility: 'private', content: 'opened: a secret' } as const;
    await updateDocument(callOf(context, ada), briefOf('ada', 'opened'), change, undefined);
    assert.deepEqual(await seenByGrace('opened'), []);
  });

  it('doesn’t show documents to a removed collaborator', async () => {
    await create('lent', 'private');
    const ref = briefOf('ada', 'lent');
    const invitation = await inviteOrChangeCollaborator(callOf(context, ada), ref, 'grace', 'read');
    await acceptInvitation(callOf(context, grace), invitationById(grace, invitation?.id as string));
    await indexAll(context);
    assert.deepEqual(await seenByGrace('lent'), ['about lent']);
    await removeCollaborator(callOf(context, ada), ref, 'grace');
    assert.deepEqual(await seenByGrace('lent'), []);
  });

  it('shows only a document’s current text', async () => {
    await create('changing', 'public');
    await indexAll(context);
    await updateDocument(
      callOf(context, ada),
      briefOf('ada', 'changing'),
      { content: 'new' },
      undefined,
    );
    const [found] = await find(callOf(context, grace), 'about changing');
    assert.deepEqual(found?.excerpt, { text: 'new', matches: [] });
  });

  it('doesn’t show deleted documents and keeps nothing of them', async () => {
    await create('removed', 'public');
    await indexAll(context);
    const before = await indexedIds(context);
    await deleteDocument(callOf(context, ada), briefOf('ada', 'removed'), undefined);
    assert.deepEqual(await seenByGrace('removed'), []);
    await indexAll(context);
    assert.equal((await indexedIds(context)).length, before.length - 1);
  });

  it('doesn’t show an organization’s documents to former members', async () => {
    await create('inner', 'internal', true);
    await indexAll(context);
    assert.deepEqual(await seenByGrace('inner'), ['about inner']);
    await leaveOrganization(callOf(context, grace), 'guild');
    assert.deepEqual(await seenByGrace('inner'), []);
  });

  it('searches the organizations joined last, if there are too many', async () => {
    const { id: first } = await createOrganization(callOf(context, ada), {
      namespace: 'steam',
      name: 'Steam',
    });
    await createOrganization(callOf(context, ada), { namespace: 'water', name: 'Water' });
    const alan = await makeActor(context, 'alan');
    for (const namespace of ['water', 'steam']) {
      await inviteOrChangeMember(callOf(context, ada), namespace, 'alan', 'member');
      await acceptMembership(callOf(context, alan), namespace);
    }
    const [latest] = await listReachableOrganizations(context.sql.read, alan.id, 1);
    assert.equal(latest?.id, first);
  });
});

describe('Matching', () => {
  let context: Context;
  let ada: Actor;

  before(async () => {
    context = await openAt('words');
    ada = await makeActor(context, 'ada');
  });
  after(() => closeContext(context));

  async function write(name: string, content: string, kind: 'brief' | 'page' = 'brief') {
    await createDocument(callOf(context, ada), kind, ownedBy(ada), { content, name });
    await indexAll(context);
  }

  it('ignores case, marks and compatible forms of characters', async () => {
    await write('spelling', '# Ein Café, ﬁne naïve Σίσυφος\n\n**Résumé** `x_y` ½ İstanbul Å');
    for (const query of [
      'cafe',
      'CAFÉ',
      'cafe\u0301',
      'ein cafe',
      'fine',
      'ﬁne',
      'naive',
      'resume',
      'σισυφοσ',
      'ΣΊΣΥΦΟΣ',
      'istanbul',
      'a\u030a',
      'x y',
      '"café" (-naïve',
      'spell',
    ]) {
      assert.deepEqual(namesOf(await find(callOf(context, ada), query)), ['spelling'], query);
    }
    for (const query of ['caf e', 'afe', 'ein kaffee', 'cafe nothing']) {
      assert.deepEqual(await find(callOf(context, ada), query), [], query);
    }
  });

  it('folds case fully, and letters with strokes and ligatures', async () => {
    await write('folding', 'Die Straße nach Łódź. Schlüssel, œuvre, Þór, smørbrød, đặng, ħobż');
    for (const query of [
      'strasse',
      'STRASSE',
      'STRAẞE',
      'lodz',
      'łódź',
      'schluessel',
      'oeuvre',
      'thor',
      'smorbrod',
      'smoerbroed',
      'dang',
      'hobz',
    ]) {
      assert.deepEqual(namesOf(await find(callOf(context, ada), query)), ['folding'], query);
    }
    const [found] = await find(callOf(context, ada), 'strasse lodz');
    assert.deepEqual(matchesOf(found as SearchItem), ['Straße', 'Łódź']);
  });

  it('finds names with signs whole and by their parts', async () => {
    await write('signs', 'In C++ (or c#), getUserById calls user_by_pk of lib/foo-bar.ts, v4.5.6.');
    await write('asp', 'Ask grace.hopper@example.com about ASP.NET, and .NET 9');
    const table: Record<string, [string, string[]]> = {
      'C++': ['signs', ['C++']],
      'c#': ['signs', ['c#']],
      getuserbyid: ['signs', ['getUserById']],
      userbyid: ['signs', ['getUserById']],
      'user id': ['signs', ['getUserById', 'user']],
      get_user_by_id: ['signs', ['getUserById', 'user', 'by']],
      userbypk: ['signs', ['user_by_pk']],
      userByPk: ['signs', ['user_by_pk']],
      'foo-bar': ['signs', ['foo-bar.ts']],
      foobar: ['signs', ['foo-bar.ts']],
      'lib/foo-bar.ts': ['signs', ['lib/foo-bar.ts']],
      'v4.5.6': ['signs', ['v4.5.6']],
      '4.5.6': ['signs', ['v4.5.6']],
      '.net': ['asp', ['NET', '.NET']],
      'grace.hopper@example.com': ['asp', ['grace.hopper@example.com']],
      hopper: ['asp', ['hopper']],
    };
    for (const [query, [name, marked]] of Object.entries(table)) {
      const [found, ...others] = await find(callOf(context, ada), query);
      assert.deepEqual([found?.name, others.length], [name, 0], query);
      assert.deepEqual(matchesOf(found as SearchItem), marked, query);
    }
    for (const query of ['g++', '.asp', '4.56', 'getUserByPk']) {
      assert.deepEqual(await find(callOf(context, ada), query), [], query);
    }
  });

  it('finds phrases, alternatives, and what lacks a word or phrase', async () => {
    await write('otter-1', 'The brown otter swims in the cold river.');
    await write('otter-2', 'The otter, brown as it is, swims. A cold river runs.');
    await write('otter-3', '<title>Brown otter</title><p>In a zoo', 'page');
    await write('heron', 'The grey heron waits.');
    const table: Record<string, string[]> = {
      '"brown otter"': ['otter-3', 'otter-1'],
      '"otter brown"': ['otter-2'],
      '“cold river” "otter swims"': ['otter-1'],
      '"otter swim"': [],
      '"brown otter" -zoo': ['otter-1'],
      'otter -"brown otter"': ['otter-2'],
      'otter -swims': ['otter-3'],
      'otter -swim -zoo': ['otter-2', 'otter-1'],
      'heron OR zoo': ['heron', 'otter-3'],
      '"otter brown" OR heron': ['heron', 'otter-2'],
      'river otter OR heron': ['otter-2', 'otter-1'],
      'otter "swims"': ['otter-2', 'otter-1'],
      '-otter': [],
    };
    for (const [query, names] of Object.entries(table)) {
      assert.deepEqual(namesOf(await find(callOf(context, ada), query)), names, query);
    }
    const [found] = await find(callOf(context, ada), '"cold river" otter');
    assert.deepEqual(matchesOf(found as SearchItem), ['otter', 'cold river']);
  });

  it('finds other forms of words, after the words themselves', async () => {
    await write('form-1', 'We were juggling the torches when it began to rain on all of us.');
    await write('form-2', 'He juggled a torch in the rain, and that is what we came for.');
    await write('form-3', 'Wir haben die Häuser und die Rechnungen in der Stadt gesehen.');
    await write('form-4', 'Les élèves ont des journaux dans leurs cartables, et ils les lisent.');
    // Its only frequent word is one of ten languages.
    await write('form-5', 'Cantaban a Rosinante');
    const table: Record<string, string[]> = {
      'juggled torch': ['form-2', 'form-1'],
      'cantar rosinante': ['form-5'],
      'juggling torches': ['form-1', 'form-2'],
      'juggles rain': ['form-2', 'form-1'],
      '"juggles"': [],
      'haus rechnung': ['form-3'],
      'HÄUSERN die': ['form-3'],
      'eleve les': ['form-4'],
      'lisent cartable dans': ['form-4'],
    };
    for (const [query, names] of Object.entries(table)) {
      assert.deepEqual(namesOf(await find(callOf(context, ada), query)), names, query);
    }
    const [found] = await find(callOf(context, ada), 'haus rechnung');
    assert.deepEqual(matchesOf(found as SearchItem), ['Häuser', 'Rechnungen']);
  });

  it('finds words of scripts without spaces by their beginning', async () => {
    await write('greeting', 'みなさん、こんにちは。');
    for (const query of ['こんに', 'こんにち', 'こんにちは']) {
      assert.deepEqual(namesOf(await find(callOf(context, ada), query)), ['greeting'], query);
      const [found] = await find(callOf(context, ada), query);
      assert.deepEqual(matchesOf(found as SearchItem), ['こんにちは'], query);
    }
  });

  it('finds beginnings of all words, if asked to, and misspelled ones beside others', async () => {
    await write('zanzibar', '# Zanzibar rollout 415\n\nThe cutover is on Monday.');
    const all = { areAllPrefixes: true };
    assert.deepEqual(namesOf(await find(callOf(context, ada), 'zanz roll 415', all)), ['zanzibar']);
    assert.deepEqual(namesOf(await find(callOf(context, ada), 'roll 4 zanz', all)), []);
    assert.deepEqual(namesOf(await find(callOf(context, ada), 'zanz roll 415')), []);
    for (const query of ['zanzibr cutover', 'zanzbiar rolluot', 'cutover zanzibra']) {
      assert.deepEqual(namesOf(await find(callOf(context, ada), query, all)), ['zanzibar'], query);
    }
    assert.deepEqual(namesOf(await find(callOf(context, ada), 'zanzibr sunset', all)), []);
  });

  it('says whether changes of documents that the user can read wait to be indexed', async () => {
    const isBehind = async (actor: Actor) =>
      (await searchDocuments(callOf(context, actor), { query: 'lagging', size: 5 })).isBehind;
    const eve = await makeActor(context, 'eve');
    await indexAll(context);
    assert.deepEqual([await isBehind(ada), await isBehind(eve)], [false, false]);
    const document = { content: 'lagging', name: 'lagging' };
    await createDocument(callOf(context, ada), 'brief', ownedBy(ada), document);
    assert.deepEqual([await isBehind(ada), await isBehind(eve)], [true, false]);
    await indexAll(context);
    assert.deepEqual([await isBehind(ada), await isBehind(eve)], [false, false]);
  });

  it('works for scripts without spaces', async () => {
    await write(
      'scripts',
      '東京都に住んでいます。我们在北京大学学习中文。ภาษาไทยเป็นภาษาที่ยาก 한국어를 배웁니다',
    );
    for (const query of ['東京', '北京', '中文', '学习', 'ภาษา', '한국어', '東京都 北京大学']) {
      assert.deepEqual(namesOf(await find(callOf(context, ada), query)), ['scripts'], query);
    }
    const [found] = await find(callOf(context, ada), '北京');
    assert.match(matchesOf(found as SearchItem)[0] as string, /^北京/);
  });

  it('accepts a prefix only for the last word', async () => {
    await write('prefix', 'heliotrope garden');
    for (const query of ['helio', 'garden helio', 'heliotrope ga']) {
      assert.deepEqual(namesOf(await find(callOf(context, ada), query)), ['prefix'], query);
    }
    assert.deepEqual(await find(callOf(context, ada), 'helio garden'), []);
  });

  it('expands a prefix to a few words or a thousand', async () => {
    const few = ['bergamotte', 'bergamottensaft', 'bergamottöl'];
    for (const word of few) await write(`a-${word.length}`, `${word} now`);
    assert.deepEqual(namesOf(await find(callOf(context, ada), 'bergamott')).sort(), [
      'a-10',
      'a-11',
      'a-15',
    ]);
    assert.deepEqual(namesOf(await find(callOf(context, ada), 'now bergamotte')).sort(), [
      'a-10',
      'a-15',
    ]);
    assert.deepEqual(namesOf(await find(callOf(context, ada), 'bergamotto')), ['a-11']);
    for (const query of ['bergamottx', 'now bergamottf']) {
      assert.deepEqual(await find(callOf(context, ada), query), [], query);
    }
    const many = Array.from({ length: 1_000 }, (_, number) => `kilometer${number}`);
    for (const half of [0, 1]) {
      await write(`many-${half}`, many.filter((_, number) => number % 2 === half).join(' '));
    }
    assert.deepEqual(namesOf(await find(callOf(context, ada), 'kilometer')).sort(), [
      'many-0',
      'many-1',
    ]);
    assert.deepEqual(namesOf(await find(callOf(context, ada), 'kilometer99')).sort(), [
      'many-0',
      'many-1',
    ]);
    assert.deepEqual(namesOf(await find(callOf(context, ada), 'kilometer997')), ['many-1']);
    await write('script', '雪国 雪山 雪上');
    assert.deepEqual(namesOf(await find(callOf(context, ada), '雪')), ['script']);
  });

  it('finds each document that changed in the same millisecond', async () => {
    const at = '2026-03-01T12:00:00.000Z';
    const context = await openAt('crowd', { now: () => at });
    const ada = await makeActor(context, 'ada');
    const numbers = Array.from({ length: 40 }, (_, number) => number);
    for (const number of numbers) {
      const document = { content: `crowded own${number}x`, name: `crowd-${number}` };
      await createDocument(callOf(context, ada), 'brief', ownedBy(ada), document);
    }
    await indexAll(context);
    await deleteDocument(callOf(context, ada), briefOf('ada', 'crowd-7'), undefined);
    for (const number of numbers) {
      const expected = number === 7 ? [] : [`crowd-${number}`];
      assert.deepEqual(namesOf(await find(callOf(context, ada), `own${number}x`)), expected);
    }
    await closeContext(context);
  });

  it('lists the latest first, on result pages, even after quick writes', async () => {
    let written = 0;
    const now = () => new Date(Date.UTC(2026, 2, 1) + Math.floor(written / 4)).toISOString();
    const context = await openAt('rush', { now });
    const ada = await makeActor(context, 'ada');
    for (; written < 240; written += 1) {
      const document = { content: 'hasty', name: `rush-${written}` };
      await createDocument(callOf(context, ada), 'brief', ownedBy(ada), document);
    }
    await indexAll(context);
    const found: SearchItem[] = [];
    for (let page = 1; page <= 12; page += 1) {
      found.push(...(await find(callOf(context, ada), 'hasty', { size: 20, page })));
    }
    const order = found.map(({ updatedAt, id }) => updatedAt + id);
    assert.equal(new Set(order).size, 240);
    assert.deepEqual(order, order.toSorted().reverse());
    await closeContext(context);
  });

  it('finds the visible text and the title of a page', async () => {
    const html =
      '<title>Quarz &amp; Glimmer</title><style>.feldspat{}</style><script>gneis()</script>' +
      '<p>Ba<b>salt</b></p><p>Granit</p><td>Mar</td><td>mor</td><template>Lava</template>';
    await write('stones', html, 'page');
    for (const query of ['quarz', 'glimmer', 'basalt', 'granit', 'mar mor']) {
      assert.deepEqual(namesOf(await find(callOf(context, ada), query)), ['stones'], query);
    }
    for (const query of ['feldspat', 'gneis', 'lava', 'marmor', 'amp']) {
      assert.deepEqual(await find(callOf(context, ada), query), [], query);
    }
    assert.deepEqual((await find(callOf(context, ada), 'granit'))[0]?.excerpt, {
      text: 'Basalt Granit Mar mor',
      matches: [[7, 13]],
    });
  });

  it('shows the words that say most, not the first frequent one', async () => {
    const start = 'Of all the parts of the system, the list of names is the first. '.repeat(8);
    await write('obsidian', `${start}Retention of obsidian tombs is 30 days. ${start}`);
    for (const query of ['retention of tombs', 'of the tombs', 'the retention']) {
      const [found] = await find(callOf(context, ada), query);
      assert.match(found?.excerpt.text ?? '', /Retention of obsidian tombs/, query);
    }
    // Several words beside each other are better than the first one.
    await write('onyx', `Onyx alone. ${start} onyx beside jaspis. ${start}`);
    assert.match(
      (await find(callOf(context, ada), 'onyx jaspis'))[0]?.excerpt.text ?? '',
      /beside jaspis/,
    );
  });

  it('finds by a question what its words find, and what has most of them', async () => {
    await write('tombstones', 'Retention of tombstones: they live for 30 days, then deletion.');
    for (const query of [
      'how long are tombstones retained?',
      'tombstones retained',
      'when does it delete the tombstones',
      'who maintains retained tombstones',
    ]) {
      assert.deepEqual(namesOf(await find(callOf(context, ada), query)), ['tombstones'], query);
    }
    const search = { query: 'tombstones retained elsewhere', size: 50 };
    const partial = await searchDocuments(callOf(context, ada), search);
    assert.deepEqual([namesOf(partial.items), partial.isPartial], [['tombstones'], true]);
    for (const query of [
      'tombstones elsewhere',
      'how nowhere',
      'tombstones -days',
      '"how tombstones"',
    ]) {
      assert.deepEqual(namesOf(await find(callOf(context, ada), query)), [], query);
    }
  });

  it('lists names first, then last changed, or as requested; on result pages', async () => {
    for (const name of ['one', 'turmalin-a', 'two', 'turmalin-b', 'three']) {
      await write(name, 'turmalin');
    }
    await updateDocument(
      callOf(context, ada),
      briefOf('ada', 'one'),
      { content: 'Turmalin!' },
      undefined,
    );
    await indexAll(context);
    const orders = {
      changed: ['one', 'three', 'turmalin-b', 'two', 'turmalin-a'],
      created: ['three', 'turmalin-b', 'two', 'turmalin-a', 'one'],
      title: ['one', 'three', 'turmalin-a', 'turmalin-b', 'two'],
    } as const;
    for (const sort of ['changed', 'created', 'title'] as const) {
      const sorted = await find(callOf(context, ada), 'turmalin', { sort });
      assert.deepEqual(namesOf(sorted), orders[sort], sort);
    }
    const order = ['turmalin-b', 'turmalin-a', 'one', 'three', 'two'];
    assert.deepEqual(namesOf(await find(callOf(context, ada), 'turmalin')), order);
    const paged: string[] = [];
    let page: number | undefined = 1;
    while (page !== undefined) {
      const part = await searchDocuments(callOf(context, ada), {
        query: 'turmalin',
        size: 2,
        page,
      });
      paged.push(...namesOf(part.items));
      page = part.next;
    }
    assert.deepEqual(paged, order);
    assert.deepEqual(await find(callOf(context, ada), 'turmalin', { size: 2, page: 10_000 }), []);
  });

  it('lists names and titles with typos after exact matches, fewest errors first', async () => {
    await write('budget-plan', '# Budget plan 2026\n\nAll costs');
    await write('deck', '<title>Architecture overview</title><p>Boxes</p>', 'page');
    for (const query of [
      'budgte plan',
      'budget paln',
      'budgett',
      'budge plan',
      'bugdet plan 2026',
      'budgte costs',
    ]) {
      assert.deepEqual(namesOf(await find(callOf(context, ada), query)), ['budget-plan'], query);
    }
    for (const query of ['arhcitecture', 'ARCHITEKTURE', 'architecutre ove', 'arhcitecutre']) {
      assert.deepEqual(namesOf(await find(callOf(context, ada), query)), ['deck'], query);
    }
    for (const query of [
      'budgte plan 2027',
      'buget casts',
      'bdugte',
      'boxse',
      'arhcitecutrre',
      'budgte nothing',
      'budgte plan q1 q2 q3 q4 q5 q6 q7',
    ]) {
      assert.deepEqual(await find(callOf(context, ada), query), [], query);
    }
    const [plan] = await find(callOf(context, ada), 'budgte plan');
    assert.deepEqual(matchesOf(plan as SearchItem), ['Budget', 'plan']);

    await write('budgte', 'Misspelled itself');
    await write('budgets', 'Two errors away, so not found');
    await write('architectures', 'Two errors away');
    await write('architecture-log', 'One error away');
    assert.deepEqual(namesOf(await find(callOf(context, ada), 'budgte')), [
      'budgte',
      'budget-plan',
    ]);
    assert.deepEqual(namesOf(await find(callOf(context, ada), 'arhcitecture')), [
      'architecture-log',
      'deck',
      'architectures',
    ]);
    const second = await searchDocuments(callOf(context, ada), {
      query: 'arhcitecture',
      size: 1,
      page: 2,
    });
    assert.deepEqual([namesOf(second.items), second.next], [['deck'], 3]);
    const isPage = { size: 9, isWanted: ({ kind }: { kind: string }) => kind === 'page' };
    const pages = await searchDocuments(callOf(context, ada), { query: 'arhcitecture', ...isPage });
    assert.deepEqual(namesOf(pages.items), ['deck']);
    // With enough exact matches, typos are not tolerated.
    for (const name of ['a', 'b', 'c', 'd']) await write(`budgte-${name}`, 'Exact');
    assert.equal((await find(callOf(context, ada), 'budgte')).length, 5);
  });

  it('finds the latest matches, whether all, few or only the oldest match', async () => {
    let time = Date.parse('2025-01-01T00:00:00Z');
    const now = () => {
      time += 1_000;
      return new Date(time).toISOString();
    };
    const many = await openAt('many', { now });
    const bob = await makeActor(many, 'bob');
    const words = {
      everywhere: () => true,
      often: (number: number) => number % 3 === 0,
      sometimes: (number: number) => number % 11 === 0,
      formerly: (number: number) => number < 300,
      once: (number: number) => number === 7,
    };
    const names: string[] = [];
    for (let number = 0; number < 600; number += 1) {
      const has = Object.entries(words).filter(([, isIn]) => isIn(number));
      const content = has.map(([word]) => word).join(' ');
      const name = `brief-${number}`;
      await createDocument(callOf(many, bob), 'brief', ownedBy(bob), { content, name });
      names.unshift(name);
    }
    await indexAll(many);
    for (const [word, isIn] of Object.entries(words)) {
      const expected = names.filter((_, index) => isIn(names.length - 1 - index));
      for (let page = 1; (page - 1) * 50 < expected.length; page += 1) {
        const found = await find(callOf(many, bob), word, { size: 50, page });
        assert.deepEqual(namesOf(found), expected.slice((page - 1) * 50, page * 50), word);
      }
    }
    await closeContext(many);
  });

  it('finds words in a long text up to the limit', async () => {
    const filler = 'lorem ipsum dolor '.repeat(20_000);
    await write('long', `anfang ${filler.slice(0, 200_000)} mitte ${filler} ende`);
    assert.deepEqual(namesOf(await find(callOf(context, ada), 'anfang mitte')), ['long']);
    assert.deepEqual(await find(callOf(context, ada), 'ende'), []);
    const [found] = await find(callOf(context, ada), 'mitte');
    assert.deepEqual(matchesOf(found as SearchItem), ['mitte']);
    assert.match(found?.excerpt.text as string, /^….*…$/);
  });

  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc
      .array(fc.constantFrom('"', "'", '*', '(', ')', ':', '-', '&', '|', '!', '\\', 'a', ' '))
      .map((parts) => parts.join('')),
    fc.constantFrom(
      'AND',
      'cafe OR',
      'NEAR(a b)',
      'name:x',
      "'; drop table document; --",
      '\0',
      '%',
      '_',
      'a'.repeat(10_000),
      '" '.repeat(5_000),
      '語'.repeat(10_000),
      '\ud800',
      'ﷺ'.repeat(300),
    ),
  );

  it('any text is a query, and every range is inside its excerpt', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (query) => {
        for (const { excerpt } of await find(callOf(context, ada), query)) {
          let last = 0;
          assert.ok(excerpt.text.length <= 160 && excerpt.text.isWellFormed());
          for (const [start, end] of excerpt.matches) {
            assert.ok(last <= start && start < end && end <= excerpt.text.length, query);
            last = end;
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('finds documents by any of their words', async () => {
    let written = 0;
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(
        text.map((any) => any.toWellFormed().replaceAll('\0', '')),
        async (content) => {
          written += 1;
          const name = `any-${written}`;
          await write(name, `${content} marker${written}`);
          const [found] = await find(callOf(context, ada), `marker${written}`);
          assert.equal(found?.name, name);
          assert.deepEqual(matchesOf(found as SearchItem), [`marker${written}`]);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('An index of an earlier version', () => {
  it('is built again in the background after a start', async () => {
    let context = await openAt('earlier');
    const ada = await makeActor(context, 'ada');
    const document = { content: 'Łódź', name: 'city' };
    await createDocument(callOf(context, ada), 'brief', ownedBy(ada), document);
    await indexAll(context);
    const waiting = async () =>
      (await context.sql.read.selectFrom('search_pending').select('documentId').execute()).length;
    const settings = await stackSettings(join(home, 'earlier'));
    const reopen = async () => {
      await closeContext(context);
      context = await openContext(readConfig({ DATA_DIR: join(home, 'earlier'), ...settings }));
    };
    await reopen();
    assert.equal(await waiting(), 0, 'it is of this version');
    if (isEmbedded) {
      const file = new DatabaseSync(join(home, 'earlier', 'briefs.db'));
      // Formats count in steps of 2 ** 24.
      const { user_version: id } = file.prepare('pragma user_version').get() as never;
      file.exec(`pragma user_version = ${Number(id) - 2 ** 24}`);
      file.close();
    } else {
      const earlier = sql`comment on table document_text is 'terms 1'`;
      await context.sql.transaction((tx) => earlier.execute(tx));
    }
    await reopen();
    assert.equal(await waiting(), 1);
    await indexAll(context);
    assert.deepEqual(namesOf(await find(callOf(context, ada), 'lodz')), ['city']);
    await reopen();
    assert.equal(await waiting(), 0);
    await closeContext(context);
  });
});

describe('Excerpts of pages', () => {
  let context: Context;
  let ada: Actor;
  let grace: Actor;
  before(async () => {
    context = await openAt('pages');
    [ada, grace] = [await makeActor(context, 'ada'), await makeActor(context, 'grace')];
  });
  after(() => closeContext(context));

  const pageOf = (name: string) => ({ kind: 'page', owner: 'ada', name }) as const;
  const create = async (name: string, content: string, visibility: 'public' | 'private') =>
    (
      await createDocument(callOf(context, ada), 'page', ownedBy(ada), {
        content,
        name,
        visibility,
      })
    ).document;
  const excerptFor = async (actor: Actor, query: string, by: Context = context) =>
    (await find(callOf(by, actor), query))[0]?.excerpt.text;
  const LIMITS = { all: 1_000_000, beginning: 10 };
  const storedText = async ({ id, storagePath }: { id: string; storagePath: string | null }) => {
    const wanted = [{ id, source: storagePath as string }];
    return [...(await context.sql.words.pageTexts(wanted, LIMITS)).values()];
  };

  /** A context that counts the text that searches read, and can't read the blob store. */
  function counting() {
    const lengths: number[] = [];
    const { words } = context.sql;
    const pageTexts: typeof words.pageTexts = async (...wanted) => {
      const texts = await words.pageTexts(...wanted);
      lengths.push(...Array.from(texts.values(), ({ length }) => length));
      return texts;
    };
    const read: Context['blobs']['read'] = () => assert.fail('it reads a whole page');
    const counted: Context = {
      ...context,
      sql: { ...context.sql, words: { ...words, pageTexts } },
      blobs: { ...context.blobs, read },
    };
    return { counted, lengths };
  }

  it('come from the index, whatever the size of the page', async () => {
    const filler = '<p>some\0 filler</p>'.repeat(200_000);
    await create('huge', `<p>a <b>colossus</b> stands</p>${filler}`, 'private');
    await indexAll(context);
    const { counted, lengths } = counting();
    assert.match((await excerptFor(ada, 'colossus', counted)) ?? '', /^a colossus stands some fil/);
    assert.ok(lengths.length === 1 && (lengths[0] ?? 0) <= 256 * 1024, `${lengths}`);
  });

  it('read a limited amount of text for one search', async () => {
    for (let index = 0; index < 20; index += 1) {
      await create(`tome-${index}`, `<p>${'page '.repeat(60_000)} leviathan`, 'private');
    }
    await indexAll(context);
    const { counted, lengths } = counting();
    const found = await find(callOf(counted, ada), 'page');
    assert.equal(found.length, 20);
    assert.ok(found.every(({ excerpt }) => excerpt.text.startsWith('page page')));
    const most = 8 * 256 * 1024 + found.length * 1_000;
    const sum = lengths.reduce((sum, each) => sum + each);
    assert.ok(sum > 256 * 1024 && sum <= most, `${lengths}`);
  });

  it('are empty until the index has the current text', async () => {
    await create('draft', '<p>a chimera, secretly</p>', 'public');
    await indexAll(context);
    assert.equal(await excerptFor(grace, 'chimera'), 'a chimera, secretly');
    await updateDocument(
      callOf(context, ada),
      pageOf('draft'),
      { content: '<p>only a goat' },
      undefined,
    );
    assert.equal(await excerptFor(grace, 'chimera'), '');
    await indexAll(context);
    assert.equal(await excerptFor(grace, 'chimera'), undefined);
    assert.equal(await excerptFor(grace, 'goat'), 'only a goat');
  });

  it('leave nothing of replaced texts and deleted pages in the index', async () => {
    const first = await create('passing', '<p>a password: minotaur</p>', 'public');
    await indexAll(context);
    assert.deepEqual(await storedText(first), ['a password: minotaur']);
    const { document: second } = await updateDocument(
      callOf(context, ada),
      pageOf('passing'),
      { content: '<p>a password: none</p>' },
      undefined,
    );
    await indexAll(context);
    assert.deepEqual(await storedText(first), []);
    assert.deepEqual(await storedText(second), ['a password: none']);
    await deleteDocument(callOf(context, ada), pageOf('passing'), undefined);
    assert.equal(await excerptFor(grace, 'password'), undefined);
    await indexAll(context);
    assert.deepEqual(await storedText(second), []);
  });

  it('follow the rights of the moment, even if the index is older', async () => {
    await create('withdrawn', '<p>a basilisk</p>', 'public');
    await indexAll(context);
    assert.equal(await excerptFor(grace, 'basilisk'), 'a basilisk');
    const change = { visibility: 'private' } as const;
    await updateDocument(callOf(context, ada), pageOf('withdrawn'), change, undefined);
    assert.equal(await excerptFor(grace, 'basilisk'), undefined);
    assert.equal(await excerptFor(ada, 'basilisk'), 'a basilisk');
  });
});

describe('Indexing', () => {
  const DOCUMENTS = 40;

  it('in two processes, during changes, misses nothing', async () => {
    const one = await openAt('both');
    // Waiting for SQLite's only writer blocks the whole process.
    const two = isEmbedded ? one : await openAt('both');
    const ada = await makeActor(one, 'ada');
    const make = (n: number) =>
      createDocument(callOf(one, ada), 'brief', ownedBy(ada), { content: 'old', name: `d${n}` });
    for (let n = 0; n < DOCUMENTS; n += 1) await make(n);
    const write = async () => {
      for (let n = 0; n < DOCUMENTS; n += 2) {
        const change = { content: `renewed number${n}` };
        await updateDocument(callOf(one, ada), briefOf('ada', `d${n}`), change, undefined);
      }
    };
    await Promise.all([write(), indexAll(one), indexAll(two)]);
    await Promise.all([indexAll(one), indexAll(two)]);
    assert.equal((await find(callOf(one, ada), 'renewed')).length, DOCUMENTS / 2);
    assert.equal((await find(callOf(two, ada), 'old')).length, DOCUMENTS / 2);
    assert.deepEqual(await one.sql.read.selectFrom('search_pending').selectAll().execute(), []);
    await closeContext(one);
    if (two !== one) await closeContext(two);
  });

  it('continues after a process ended right after the write', async () => {
    const first = await openAt('ended');
    const ada = await makeActor(first, 'ada');
    const input = { content: 'survivor', name: 'kept' };
    await createDocument(callOf(first, ada), 'brief', ownedBy(ada), input);
    await closeContext(first);
    const second = await openAt('ended');
    assert.deepEqual(await find(callOf(second, ada), 'survivor'), []);
    await indexAll(second);
    assert.deepEqual(namesOf(await find(callOf(second, ada), 'survivor')), ['kept']);
    await closeContext(second);
  });

  it('continues some time after a process ended or failed while indexing', async () => {
    let ahead = 0;
    const now = () => new Date(Date.now() + ahead).toISOString();
    const context = await openAt('failed', { now });
    const ada = await makeActor(context, 'ada');
    const input = { content: '<p>phoenix</p>', name: 'ashes' };
    await createDocument(callOf(context, ada), 'page', ownedBy(ada), input);
    const read = () => Promise.reject(new Error('away'));
    const failing: Context = { ...context, blobs: { ...context.blobs, read } };
    await assert.rejects(indexPending(failing, 5), /away/);
    assert.equal((await indexPending(context, 5)).done, 0, 'somebody else is at it');
    ahead = 31_000;
    assert.equal((await indexPending(context, 5)).done, 1);
    assert.deepEqual(namesOf(await find(callOf(context, ada), 'phoenix')), ['ashes']);
    await closeContext(context);
  });

  it('skips lost content, and delays no other document', async () => {
    let ahead = 0;
    const now = () => new Date(Date.now() + ahead).toISOString();
    const context = await openAt('missing', { now });
    const ada = await makeActor(context, 'ada');
    const input = { content: '<p>chimera</p>', name: 'gone' };
    await createDocument(callOf(context, ada), 'page', ownedBy(ada), input);
    const without: Context = {
      ...context,
      blobs: { ...context.blobs, read: async () => undefined },
    };
    assert.equal((await indexPending(without, 5)).done, 1);
    assert.equal((await indexPending(without, 5)).done, 0, 'it rests');
    ahead = 31_000;
    assert.equal((await indexPending(context, 5)).done, 1);
    assert.deepEqual(namesOf(await find(callOf(context, ada), 'chimera')), ['gone']);
    await closeContext(context);
  });

  it('corrects the entry of an indexer that took too long', async () => {
    let ahead = 0;
    const now = () => new Date(Date.now() + ahead).toISOString();
    const context = await openAt('late', { now });
    const ada = await makeActor(context, 'ada');
    const ref = { ...briefOf('ada', 'slow') };
    await createDocument(callOf(context, ada), 'brief', ownedBy(ada), {
      content: 'sphinx',
      name: 'slow',
    });
    const { words } = context.sql;
    const change: typeof words.change = async (...older) => {
      ahead = 31_000;
      await updateDocument(callOf(context, ada), ref, { content: 'hydra' }, undefined);
      await indexAll(context);
      return words.change(...older);
    };
    const slow: Context = { ...context, sql: { ...context.sql, words: { ...words, change } } };
    await indexPending(slow, 5);
    await indexAll(context);
    assert.deepEqual(namesOf(await find(callOf(context, ada), 'hydra')), ['slow']);
    assert.deepEqual(await find(callOf(context, ada), 'sphinx'), []);
    await closeContext(context);
  });

  it('skips only documents that can’t be indexed', async () => {
    const context = await openAt('unindexable');
    const ada = await makeActor(context, 'ada');
    for (const name of ['before', 'broken', 'after']) {
      await createDocument(callOf(context, ada), 'brief', ownedBy(ada), {
        content: 'manticore',
        name,
      });
    }
    const { searchThreads } = context;
    const divide: typeof searchThreads.divide = async (documents) => {
      if (documents.some(({ source }) => source.name === 'broken')) throw new Error('too much');
      return searchThreads.divide(documents);
    };
    const failing: Context = { ...context, searchThreads: { ...searchThreads, divide } };
    await assert.rejects(indexPending(failing, 5), /too much/);
    assert.deepEqual(namesOf(await find(callOf(context, ada), 'manticore')), ['after', 'before']);
    await closeContext(context);
  });

  it('indexes the name of a document that takes too long, and delays no other', async () => {
    const context = await openAt('too-long');
    const ada = await makeActor(context, 'ada');
    for (const name of ['before', 'slow', 'after']) {
      await createDocument(callOf(context, ada), 'brief', ownedBy(ada), {
        content: 'manticore',
        name,
      });
    }
    const { searchThreads } = context;
    const divide: typeof searchThreads.divide = async (documents) => {
      const isSlow = documents.some(
        ({ source: { name, written } }) => name === 'slow' && lengthOf(written) > 0,
      );
      if (isSlow) throw new TookTooLong('the thread was ended');
      return searchThreads.divide(documents);
    };
    const limited: Context = { ...context, searchThreads: { ...searchThreads, divide } };
    const step = await indexPending(limited, 5);
    const slow = (await find(callOf(context, ada), 'slow'))[0];
    assert.deepEqual([step.done, step.cut], [3, [slow?.id]]);
    assert.deepEqual(namesOf(await find(callOf(context, ada), 'manticore')), ['after', 'before']);
    assert.equal((await indexPending(context, 5)).done, 0, 'it is done');
    await closeContext(context);
  });

  it('indexes others while a large document takes its time', async () => {
    const context = await openAt('lanes');
    const ada = await makeActor(context, 'ada');
    const { searchThreads } = context;
    const gate = Promise.withResolvers<void>();
    const divide: typeof searchThreads.divide = async (documents) => {
      if (documents.some(({ source }) => source.name === 'large')) await gate.promise;
      return searchThreads.divide(documents);
    };
    const fail = (what: unknown) => assert.fail(`reported: ${what}`);
    const gated: Context = { ...context, searchThreads: { ...searchThreads, divide } };
    const indexer = startIndexer(gated, { onFailure: fail, onCut: fail });
    const content = `chimera ${'x '.repeat(40_000)}`;
    await createDocument(callOf(gated, ada), 'brief', ownedBy(ada), { content, name: 'large' });
    await sleep(200);
    await createDocument(callOf(gated, ada), 'brief', ownedBy(ada), {
      content: 'chimera',
      name: 'small',
    });
    const until = Date.now() + 10_000;
    while ((await find(callOf(context, ada), 'chimera')).length === 0 && Date.now() < until)
      await sleep(20);
    assert.deepEqual(namesOf(await find(callOf(context, ada), 'chimera')), ['small']);
    gate.resolve();
    await indexer.stop();
    assert.deepEqual(namesOf(await find(callOf(context, ada), 'chimera')), ['small', 'large']);
    await closeContext(context);
  });

  it('alternates between owners, however many documents one has', async () => {
    const context = await openAt('turns');
    const [ada, mallory] = [await makeActor(context, 'ada'), await makeActor(context, 'mallory')];
    for (let index = 0; index < 12; index++) {
      const name = `flood-${index}`;
      await createDocument(callOf(context, mallory), 'brief', ownedBy(mallory), {
        content: 'x',
        name,
      });
    }
    await createDocument(callOf(context, ada), 'brief', ownedBy(ada), {
      content: 'phoenix',
      name: 'one',
    });
    await indexPending(context, 2);
    assert.deepEqual(namesOf(await find(callOf(context, ada), 'phoenix')), ['one']);
    await closeContext(context);
  });

  it('skips only documents that can’t be read', async () => {
    const context = await openAt('unreadable');
    const ada = await makeActor(context, 'ada');
    const create = (name: string) =>
      createDocument(callOf(context, ada), 'page', ownedBy(ada), {
        content: '<p>griffin</p>',
        name,
      });
    await create('before');
    const { document } = await create('broken');
    await create('after');
    const read: Context['blobs']['read'] = async (key) => {
      if (key === document.storagePath) throw new Error('unreadable');
      return context.blobs.read(key);
    };
    const failing: Context = { ...context, blobs: { ...context.blobs, read } };
    await assert.rejects(indexPending(failing, 5), /unreadable/);
    assert.deepEqual(namesOf(await find(callOf(context, ada), 'griffin')), ['after', 'before']);
    await closeContext(context);
  });
});
