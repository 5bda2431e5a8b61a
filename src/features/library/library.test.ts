import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import {
  actorOf,
  makeReaders,
  ORG,
  type Readers,
  type Scene,
} from '../../../test/document/readers.ts';
import { type Client, startService } from '../../../test/harness.ts';
import { isListedInOrganization } from '../../../test/rest/access-model.ts';
import {
  CONTENT,
  collaborate,
  expectStatus,
  invite,
  join,
  makeDocument,
  makeOrganization,
} from '../../../test/rest/scenario.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Kind } from '../../base/schema/kind.ts';
import type { Visibility } from '../../base/schema/visibility.ts';
import { type Actor, callOf } from '../../core/context.ts';
import { getNavigation } from '../../core/owner/navigation-service.ts';
import { type LibraryItem, type LibraryPlace, listLibrary } from './library-service.ts';
import type { Sort } from './library-sort.ts';

const LEVELS = ['none', 'read', 'write', 'admin'];

const service = await startService();
after(() => service.stop());

/** Reads a whole list in parts. */
async function walk(
  actor: Actor,
  list: {
    place: LibraryPlace;
    kind?: Kind;
    visibility?: Visibility;
    sort?: Sort;
    filter?: string;
    label?: string;
    owner?: string;
    pinnedFirst?: boolean;
    size: number;
  },
  between: () => Promise<unknown> = async () => {},
): Promise<LibraryItem[]> {
  const items: LibraryItem[] = [];
  let before: string | undefined;
  do {
    const part = await listLibrary(callOf(service.app.context, actor), { ...list, before });
    assert.ok(part.items.length <= list.size);
    assert.ok(part.next === undefined || part.items.length === list.size);
    assert.ok(before === undefined || part.pinned.length === 0);
    items.push(...part.pinned, ...part.items);
    before = part.next;
    await between();
  } while (before !== undefined);
  return items;
}

const namesOf = (items: { name: string }[]) => items.map(({ name }) => name).sort();

const isNotFound = (error: unknown) => error instanceof ServiceError && error.code === 'NOT_FOUND';

describe('The lists on Home', () => {
  let readers: Readers;

  before(async () => {
    readers = await makeReaders(service, () => CONTENT);
  });

  /** Tells whether a place shows a document to someone, according to the model. */
  const SHOWS: Record<string, (username: string, scene: Scene) => boolean> = {
    own: (username, scene) => readers.callerOf(username, scene).owns === true,
    shared: (username, scene) => readers.callerOf(username, scene).collaborates !== undefined,
    organization: (username, scene) => {
      const caller = readers.callerOf(username, scene);
      return (
        scene.ofOrganization &&
        caller.role !== undefined &&
        isListedInOrganization(caller, scene.visibility)
      );
    },
    recent: (username, scene) =>
      ['own', 'shared', 'organization'].some((place) => SHOWS[place]?.(username, scene)),
  };

  for (const place of ['recent', 'own', 'shared', 'organization']) {
    it(`${place}: every reader × every kind, owner and visibility`, async () => {
      let shown = 0;
      for (const username of readers.usernames) {
        const actor = await actorOf(service, username);
        const where = place === 'organization' ? { organization: ORG } : (place as 'own');
        const isMember = readers.scenes.some(
          (scene) => readers.callerOf(username, scene).role !== undefined,
        );
        if (place === 'organization' && !isMember) {
          await assert.rejects(walk(actor, { place: where, size: 3 }), isNotFound, username);
          continue;
        }
        for (const kind of [undefined, 'brief', 'page'] as const) {
          const expected = readers.scenes.filter(
            (scene) => SHOWS[place]?.(username, scene) && (!kind || scene.kind === kind),
          );
          const items = await walk(actor, { place: where, size: 3, ...(kind && { kind }) });
          assert.deepEqual(namesOf(items), namesOf(expected), `${username} ${kind}`);
          for (const scene of expected) {
            const item = items.find(({ name }) => name === scene.name);
            assert.equal(item?.level, LEVELS[readers.rankOf(username, scene)], username);
          }
          shown += items.length;
        }
      }
      assert.ok(shown > 0);
    });
  }

  it('an unknown organization or a user’s namespace: 404', async () => {
    const actor = await actorOf(service, 'keeper');
    for (const organization of ['nobody', 'keeper', '', '-', 'x'.repeat(1000)]) {
      const list = { place: { organization }, size: 3 };
      await assert.rejects(listLibrary(callOf(service.app.context, actor), list), isNotFound);
    }
  });

  it('revoked access takes effect at once', async () => {
    const lodger = await service.user('lodger');
    const actor = await actorOf(service, 'lodger');
    const path = await makeDocument(readers.keeper, 'lent', { visibility: 'private' });
    await collaborate(readers.keeper, path, lodger, 'write');
    await join(readers.keeper, ORG, lodger);
    const names = async () => namesOf(await walk(actor, { place: 'recent', size: 50 }));
    assert.ok((await names()).includes('lent'));
    assert.ok((await names()).includes('guild-internal-brief'));
    await expectStatus(readers.keeper.delete(`${path}/collaborators/lodger`), 204);
    await expectStatus(readers.keeper.delete(`/orgs/${ORG}/members/lodger`), 204);
    assert.deepEqual(await names(), []);
  });

  it('a document someone created in an organization is not listed as shared', async () => {
    const maker = await service.user('maker');
    await join(readers.keeper, ORG, maker);
    await makeDocument(maker, 'made-there', { org: ORG, visibility: 'private' });
    const actor = await actorOf(service, 'maker');
    assert.deepEqual(await walk(actor, { place: 'shared', size: 5 }), []);
    const there = await walk(actor, { place: { organization: ORG }, size: 5 });
    assert.ok(namesOf(there).includes('made-there'));
  });
});

describe('An entry of a list', () => {
  it('has all its fields', async () => {
    const [writer, reader] = [await service.user('writer-of-it'), await service.user('a-reader')];
    const html = '<title>All of it</title><p>Text</p>';
    const body = { html, name: 'whole', visibility: 'private' };
    const { data } = await expectStatus(writer.post('/user/pages', body), 201);
    const path = '/pages/writer-of-it/whole';
    await expectStatus(writer.put(`${path}/labels`, { labels: ['B', 'a'] }), 200);
    await expectStatus(writer.put(`${path}/pin`), 204);
    await collaborate(writer, path, reader, 'write');
    const written = html.replace('Text', 'More');
    const { data: changed } = await expectStatus(reader.patch(path, { html: written }), 200);
    const about = {
      id: data.id,
      kind: 'page',
      name: 'whole',
      title: 'All of it',
      ownerNamespace: 'writer-of-it',
      ownerType: 'user',
      visibility: 'private',
      access: {
        seenBy: 'private',
        url: `${service.webUrl}/writer-of-it/pages/whole`,
        worksFor: 'readers',
      },
      updatedAt: changed.updatedAt,
      updatedBy: 'a-reader',
      sizeBytes: html.length,
      via: 'token',
      viaName: 'test',
      labels: ['a', 'B'],
      isPinned: true,
    };
    const can = { canPin: true, canMove: true, canDelete: true };
    const cannot = { canPin: false, canMove: false, canDelete: false };
    const [own] = await walk(await actorOf(service, 'writer-of-it'), { place: 'own', size: 5 });
    assert.deepEqual(
      { ...own },
      { ...about, level: 'admin', collaborators: 1, isCollaborator: false, ...can },
    );
    const [shared] = await walk(await actorOf(service, 'a-reader'), { place: 'shared', size: 5 });
    assert.deepEqual(
      { ...shared },
      { ...about, level: 'write', collaborators: 0, isCollaborator: true, ...cannot },
    );
  });
});

describe('The titles of documents', () => {
  const TITLES: [content: string, title: string | null][] = [
    ['# Plain text: and more', 'Plain text: and more'],
    ['\n\n## Second level\r\ntext', 'Second level'],
    ['Text first.\n\n# Then *the* `title`', 'Then the title'],
    ['---\ntitle: From the matter\n---\ntext', 'From the matter'],
    ['Underlined\n=======\n', 'Underlined'],
    ['    # code\n\ntext', null],
    ['text only', null],
  ];

  it('are those of the current text, and found by the filter', async () => {
    const ada = await service.user('ada-titles');
    const actor = await actorOf(service, 'ada-titles');
    for (const [index, [content]] of TITLES.entries()) {
      const body = { name: `brief-${index}`, content: 'x' };
      await expectStatus(ada.post('/user/briefs', body), 201);
      await expectStatus(ada.patch(`/briefs/ada-titles/brief-${index}`, { content }), 200);
    }
    const items = await walk(actor, { place: 'own', size: 50 });
    const shown = new Map(items.map(({ name, title }) => [name, title]));
    for (const [index, [content, title]] of TITLES.entries()) {
      assert.equal(shown.get(`brief-${index}`), title, content);
    }
    const filter = 'THEN title';
    assert.deepEqual(namesOf(await walk(actor, { place: 'own', filter, size: 5 })), ['brief-2']);
  });

  it('never delay or fail a write when no thread is free', async () => {
    const ada = await service.user('ada-nesting');
    const content = `${'> '.repeat(3_000)}# deep`;
    await expectStatus(ada.post('/user/briefs', { name: 'deep', content }), 201);
  });
});

describe('Sorting and filtering', () => {
  it('by creation or change, in parts, in every place; by visibility', async () => {
    const [sorter, other] = [await service.user('sorter'), await service.user('sorts-with')];
    await makeOrganization(sorter, 'sorted-org');
    const paths: string[] = [];
    for (const [name, visibility] of [
      ['one', 'public'],
      ['two', 'private'],
      ['three', 'private'],
    ] as const) {
      paths.push(await makeDocument(sorter, name, { visibility }));
      await makeDocument(sorter, name, { visibility, org: 'sorted-org' });
    }
    for (const path of paths) await collaborate(sorter, path, other, 'read');
    await expectStatus(sorter.patch(paths[0] as string, { content: 'changed' }), 200);
    const actor = await actorOf(service, 'sorter');
    const order = async (list: { place: LibraryPlace; sort?: Sort; visibility?: Visibility }) =>
      (await walk(actor, { ...list, size: 2 })).map(({ name }) => name);
    assert.deepEqual(await order({ place: 'own' }), ['one', 'three', 'two']);
    const created = { sort: 'created' } as const;
    assert.deepEqual(await order({ place: 'own', ...created }), ['three', 'two', 'one']);
    const privates = { visibility: 'private', ...created } as const;
    assert.deepEqual(await order({ place: 'own', ...privates }), ['three', 'two']);
    const inOrganization = { place: { organization: 'sorted-org' } };
    assert.deepEqual(await order({ ...inOrganization, ...privates }), ['three', 'two']);
    const recent = ['three', 'three', 'two', 'two', 'one', 'one'];
    assert.deepEqual(await order({ place: 'recent', ...created }), recent);
    const theirs = await actorOf(service, 'sorts-with');
    const shared = await walk(theirs, { place: 'shared', ...privates, size: 1 });
    assert.deepEqual(
      shared.map(({ name }) => name),
      ['three', 'two'],
    );
  });

  it('by title, or name if there is none; in parts, in every place', async () => {
    const [sorter, other] = [await service.user('by-title'), await service.user('by-title-too')];
    await makeOrganization(sorter, 'titled-org');
    const contents = [
      '# banana',
      'no heading',
      '# Apple',
      '# apple',
      '# apple pie',
      '# \u00c4pfel',
    ];
    for (const [index, content] of contents.entries()) {
      const path = await makeDocument(sorter, `b-${index}`, { content, visibility: 'private' });
      await collaborate(sorter, path, other, 'read');
      await makeDocument(sorter, `c-${index}`, { content, org: 'titled-org' });
    }
    const titles = async (username: string, place: LibraryPlace, size: number) => {
      const list = { place, sort: 'title', size } as const;
      const items = await walk(await actorOf(service, username), list);
      return items.map(({ title, name }) => title ?? name);
    };
    const expected = ['Apple', 'apple', 'apple pie', 'b-1', 'banana', '\u00c4pfel'];
    const all = ['Apple', 'apple', ...expected].sort();
    for (const size of [1, 4, 40]) {
      assert.deepEqual(await titles('by-title', 'own', size), expected);
      assert.deepEqual(await titles('by-title-too', 'shared', size), expected);
    }
    const inOrganization = { organization: 'titled-org' };
    const others = expected.filter((title) => title !== 'b-1').toSpliced(4, 0, 'c-1');
    assert.deepEqual(await titles('by-title', inOrganization, 2), others);
    assert.equal((await titles('by-title', 'recent', 5)).length, all.length + 4);
  });

  it('by owner, by label, with pinned documents first', async () => {
    const [host, guest] = [await service.user('pin-host'), await service.user('pin-guest')];
    await makeOrganization(host, 'pin-org');
    await join(host, 'pin-org', guest);
    for (const owner of ['pin-host', 'pin-org']) {
      for (const name of ['one', 'two', 'three', 'four']) {
        const org = owner === 'pin-org' ? { org: owner } : {};
        const visibility =
          name === 'four' ? 'private' : owner === 'pin-org' ? 'internal' : 'private';
        const path = await makeDocument(host, name, { ...org, visibility });
        if (name === 'two') await collaborate(host, path, guest, 'read');
        if (name !== 'three')
          await expectStatus(host.put(`${path}/labels`, { labels: ['Odd'] }), 200);
        if (['one', 'four'].includes(name)) await expectStatus(host.put(`${path}/pin`), 204);
      }
    }
    const list = async (username: string, asked: Omit<Parameters<typeof walk>[1], 'size'>) => {
      const lists = [];
      for (const size of [1, 40]) {
        const items = await walk(await actorOf(service, username), { ...asked, size });
        lists.push(items.map(({ ownerNamespace, name }) => `${ownerNamespace}/${name}`).join(' '));
      }
      assert.equal(lists[0], lists[1]);
      return lists[0]?.replaceAll('pin-', '');
    };
    const own = { place: 'own', pinnedFirst: true } as const;
    const ofOrganization = { place: { organization: 'pin-org' }, pinnedFirst: true };
    assert.equal(await list('pin-host', own), 'host/four host/one host/three host/two');
    assert.equal(
      await list('pin-host', { place: 'own' }),
      'host/four host/three host/two host/one',
    );
    assert.equal(await list('pin-host', { ...own, label: 'ODD' }), 'host/four host/one host/two');
    assert.equal(
      await list('pin-host', { ...own, label: 'odd', filter: 'O' }),
      'host/four host/one host/two',
    );
    assert.equal(await list('pin-host', { ...own, filter: 'one' }), 'host/one');
    assert.equal(
      await list('pin-host', { ...own, sort: 'title' }),
      'host/four host/one host/three host/two',
    );
    assert.equal(await list('pin-guest', ofOrganization), 'org/one org/three org/two');
    assert.equal(await list('pin-guest', { ...ofOrganization, label: 'odd' }), 'org/one org/two');
    const recent = { place: 'recent', label: 'odd' } as const;
    assert.equal(await list('pin-guest', recent), 'org/two org/one host/two');
    assert.equal(await list('pin-guest', { ...recent, owner: 'Pin-Host' }), 'host/two');
    assert.equal(
      await list('pin-guest', { place: 'recent', owner: 'pin-org' }),
      'org/three org/two org/one',
    );
    assert.equal(
      await list('pin-host', { ...recent, owner: 'pin-org' }),
      'org/four org/two org/one',
    );
    assert.equal(await list('pin-guest', { place: 'shared', owner: 'pin-host' }), 'host/two');
    assert.equal(await list('pin-guest', { place: 'shared', owner: 'by-title' }), '');
    assert.equal(await list('pin-guest', { place: 'recent', owner: 'nobody/here' }), '');
  });
});

describe('Reading a list in parts', () => {
  let owners = 0;

  type Change = 'write' | 'create' | 'delete';
  const change = fc.record({
    what: fc.constantFrom<Change>('write', 'write', 'create', 'delete'),
    which: fc.nat(11),
  });

  it('while documents change: shows each at most once, and all unchanged ones', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 12 }),
        async (size, changes) => {
          owners += 1;
          const client = await service.user(`walker-${owners}`);
          const paths: string[] = [];
          for (let n = 0; n < 12; n += 1) paths.push(await makeDocument(client, `n${n}`));
          const touched = new Set<string>();
          let made = 0;
          const apply = async ({ what, which }: { what: Change; which: number }) => {
            if (what === 'create') {
              made += 1;
              await makeDocument(client, `new-${made}`);
              return;
            }
            touched.add(`n${which}`);
            const path = paths[which] as string;
            // The document may have been deleted.
            await (what === 'write' ? client.patch(path, { content: 'x' }) : client.delete(path));
          };
          const turns = changes.values();
          const actor = await actorOf(service, client.username);
          const items = await walk(actor, { place: 'recent', size }, async () => {
            for (const each of turns.next().value ?? []) await apply(each);
          });
          const names = items.map(({ name }) => name);
          assert.equal(new Set(names).size, names.length, `twice: ${names}`);
          for (let n = 0; n < 12; n += 1) {
            assert.ok(touched.has(`n${n}`) || names.includes(`n${n}`), `n${n} is missing`);
          }
          const times = items.map(({ updatedAt, id }) => updatedAt + id);
          assert.deepEqual(times, times.toSorted().reverse());
        },
      ),
      { numRuns: 8 },
    );
  });

  it('filters by owner and name in every place', async () => {
    const keen = await service.user('keen');
    const actor = await actorOf(service, 'keen');
    await makeOrganization(keen, 'keen-org');
    const names = [
      'budget-2025',
      'Old Budget',
      'plan_b',
      'plan-b',
      '50%',
      'x\\y',
      'ärger',
      'other',
    ];
    for (const [index, name] of names.entries()) {
      const where = index % 2 === 0 ? '/user/briefs' : '/orgs/keen-org/pages';
      const body = index % 2 === 0 ? { content: CONTENT } : { html: '<p>x' };
      const { status } = await keen.post(where, { ...body, name });
      assert.ok(status === 201 || /[%\\]/.test(name), name);
    }
    const filters = [
      'budget',
      'BUDGET',
      'old get',
      'get old',
      'plan_b',
      '%',
      '_',
      '\\',
      '!',
      'a\u0308r',
    ];
    filters.push('keen-org / bud', 'keen /', '\0', 'none', 'plan b other', 'b u d g e t');
    for (const place of ['recent', 'own', { organization: 'keen-org' }] as const) {
      for (const kind of [undefined, 'brief', 'page'] as const) {
        const list = { place, size: 2, ...(kind && { kind }) };
        const all = await walk(actor, list);
        for (const filter of filters) {
          const words =
            filter
              .normalize('NFC')
              .toLowerCase()
              .match(/[^\s\0]+/g) ?? [];
          const expected = all.filter(({ ownerNamespace, name }) =>
            words.slice(0, 4).every((word) => `${ownerNamespace} / ${name}`.includes(word)),
          );
          const found = await walk(actor, { ...list, filter });
          assert.deepEqual(namesOf(found), namesOf(expected), filter);
        }
      }
    }
    const budgets = await walk(actor, { place: 'recent', filter: 'budget', size: 1 });
    assert.deepEqual(namesOf(budgets), ['budget-2025', 'old-budget']);
  });

  it('accepts only cursors that a list returned', async () => {
    const actor = await actorOf(service, 'walker-1');
    const encode = (text: string) => Buffer.from(text).toString('base64url');
    for (const before of [
      '',
      'x',
      '~',
      '\0',
      'x'.repeat(10_000),
      encode('~ ~'),
      encode('2026 x'),
      encode("2026-01-31T12:00:00.000Z ' or 1=1"),
      encode('2026-01-31T12:00:00.000Z 019A5C2E-7B1A-7C3D-9E4F-8A6B5C4D3E2F'),
      encode('a title 019a5c2e-7b1a-7c3d-9e4f-8a6b5c4d3e2f'),
    ]) {
      await assert.rejects(
        listLibrary(callOf(service.app.context, actor), { place: 'own', before, size: 5 }),
        (error) =>
          error instanceof ServiceError &&
          error.code === 'BAD_REQUEST' &&
          error.message.startsWith('before: '),
        before,
      );
    }
  });
});

describe('The navigation', () => {
  let host: Client;
  let member: Client;

  before(async () => {
    [host, member] = [await service.user('host'), await service.user('member-of-three')];
    for (const org of ['zoo', 'ant', 'bee']) await makeOrganization(host, org);
    await join(host, 'zoo', member);
    await join(host, 'ant', member, 'admin');
  });

  it('lists organizations by name, with the role', async () => {
    const { organizations } = await getNavigation(
      callOf(service.app.context, await actorOf(service, 'member-of-three')),
    );
    assert.deepEqual(
      organizations.map((each) => ({ ...each })),
      [
        { namespace: 'ant', name: 'ANT', role: 'admin' },
        { namespace: 'zoo', name: 'ZOO', role: 'member' },
      ],
    );
  });

  it('counts the invitations that can be accepted, of both kinds', async () => {
    const actor = await actorOf(service, 'member-of-three');
    const count = async () => (await getNavigation(callOf(service.app.context, actor))).invitations;
    assert.equal(await count(), 0);
    const path = await makeDocument(host, 'for-all', { visibility: 'private' });
    const id = await invite(host, path, member, 'read');
    await expectStatus(host.put('/orgs/bee/members/member-of-three', { role: 'member' }), 201);
    assert.equal(await count(), 2);
    await expectStatus(member.patch(`/user/brief_invitations/${id}`), 204);
    assert.equal(await count(), 1);
    service.advance(8 * 24 * 60 * 60_000);
    assert.equal(await count(), 0);
  });
});
