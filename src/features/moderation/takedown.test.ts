import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { everythingIndexed } from '../../../test/document/everything-indexed.ts';
import {
  type Answer,
  assertError,
  type Client,
  readAnswer,
  type Service,
  startService,
} from '../../../test/harness.ts';
import { type Delivered, openPostOffice, type PostOffice } from '../../../test/mail/post-office.ts';
import { type Agent, connect } from '../../../test/mcp/agent.ts';
import {
  ALL_KINDS,
  collaborate,
  expectStatus,
  invite,
  join,
  makeDocument,
  makeOrganization,
  pluck,
} from '../../../test/rest/scenario.ts';
import { until } from '../../../test/until.ts';
import { formWith, submit, toastOf } from '../../../test/web-app/forms.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { KINDS } from '../../base/schema/kind.ts';
import { setAccountDisabled } from '../../core/identity/account-service.ts';
import { countWaiting } from '../../core/owner/navigation-store.ts';
import { makeAdministrator } from './administrator.testing.ts';
import { verifyAddress } from './verified.testing.ts';

const REASON = 'It names people who live in secret.';

let service: Service;
let office: PostOffice;
let root: Person;
let ada: Person;
let grace: Person;
let eve: Person;
const agents: Agent[] = [];

before(async () => {
  office = await openPostOffice();
  service = await startService(office.settings);
  root = await makeAdministrator(service, 'root-user');
  ada = await makePerson(service, 'ada');
  grace = await makePerson(service, 'grace');
  eve = await makePerson(service, 'eve');
});
after(async () => {
  for (const agent of agents) await agent.close();
  await service.stop();
  await office.close();
});

const named = ({ client, username }: Person): Client => ({ ...client, username });

const takedownOf = (path: string) => `/admin${path}/takedown`;
const takeDown = (path: string, reason = REASON) =>
  expectStatus(root.client.put(takedownOf(path), { reason }), 200);
const restore = (path: string) => expectStatus(root.client.delete(takedownOf(path)), 204);

async function fetched(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  return readAnswer(await fetch(url, { redirect: 'manual', headers }));
}

/** Fetches all parts of a site map. */
async function sitemap(url: string): Promise<{ status: number; text: string }> {
  const { text } = await fetched(url);
  const parts = Array.from(text.matchAll(/<loc>(.*?)<\/loc>/g), ([, part = '']) => fetched(part));
  return { status: 200, text: (await Promise.all(parts)).map((part) => part.text).join('\n') };
}

/** Makes one document with everything by which others could find it. */
async function makeFound(name: string, kind = KINDS.brief as (typeof ALL_KINDS)[number]) {
  const content = kind.kind === 'brief' ? `# Quokka ${name}\n` : `<title>Quokka ${name}</title>`;
  const path = await makeDocument(named(ada), name, { kind, content });
  await expectStatus(ada.client.put(`${path}/labels`, { labels: ['marsupial'] }), 200);
  await expectStatus(ada.client.put(`${path}/pin`, {}), 204);
  await expectStatus(ada.client.patch(`${path}/revisions/1`, { pinned: true }), 200);
  await collaborate(ada.client, path, named(grace), 'admin');
  return path;
}

describe('A document that is taken down', () => {
  for (const kind of ALL_KINDS) {
    it(`is nowhere for others, at once, and back as it was: a ${kind.kind}`, async () => {
      const name = `everywhere-${kind.kind}`;
      const path = await makeFound(name, kind);
      const { webUrl, renderUrl } = service;
      const web = `${webUrl}/ada/${kind.kind === 'brief' ? name : `pages/${name}`}`;
      const linker = await makeDocument(named(ada), `linker-${kind.kind}`, {
        content: `See [it](${web}).\n`,
      });
      await everythingIndexed(service.app.context);
      const html = { accept: 'text/html' };
      const addresses: Record<string, [string, Record<string, string>?]> = {
        page: [web, html],
        profile: [`${webUrl}/ada`, html],
        feed: [`${webUrl}/ada.atom`],
        oembed: [`${webUrl}/oembed.json?url=${encodeURIComponent(web)}`],
        ...(kind.kind === 'brief'
          ? {
              // The service keeps a part for minutes, so only the first test finds its document in one.
              sitemap: [`${webUrl}/sitemap.xml`],
              markdown: [`${web}.md`],
              revision: [`${web}@1`],
            }
          : {
              render: [`${renderUrl}/ada/${name}`],
              signed: [(await ada.client.get(`${path}/render-url`)).data.url],
            }),
      };
      const lists = new Set(['profile', 'feed', 'sitemap']);
      const state = async () => {
        const entries = Object.entries(addresses).map(async ([which, [url, headers]]) => {
          const { status, text } =
            which === 'sitemap' ? await sitemap(url) : await fetched(url, headers);
          return [which, lists.has(which) ? text.includes(name) : status === 200];
        });
        const search = await eve.client.get(`/search?q=quokka`);
        const labelled = await eve.client.get(`/users/ada/${kind.segment}?label=marsupial`);
        const pinned = await eve.client.get('/users/ada/pins');
        const listed = await eve.client.get(`/users/ada/${kind.segment}`);
        const counted = await eve.client.get('/users/ada/labels');
        return {
          ...Object.fromEntries(await Promise.all(entries)),
          search: search.text.includes(name),
          labelled: labelled.text.includes(name),
          pinned: pinned.text.includes(name),
          listed: listed.text.includes(name),
          counted: counted.text.includes('marsupial'),
          read: (await eve.client.get(path)).status === 200,
          shared:
            (await grace.visitor.get('/shared')).text.includes(`/ada/`) &&
            (await grace.visitor.get('/shared')).text.includes(name),
          'as a collaborator': (await grace.client.get(path)).status === 200,
        };
      };
      const allOf = (value: boolean, of: object) =>
        Object.fromEntries(Object.keys(of).map((which) => [which, value]));
      const before = await state();
      assert.deepEqual(before, allOf(true, before));
      const whole = await ada.client.get(path);
      const tagOf = async () => (await fetched(web, html)).headers.get('etag');
      const etag = await tagOf();

      await takeDown(path);
      const hidden = await state();
      assert.deepEqual(hidden, allOf(false, hidden));
      await everythingIndexed(service.app.context);
      assert.deepEqual(await state(), hidden);
      const conditional = await fetched(web, { ...html, 'if-none-match': etag ?? '"x"' });
      assert.equal(conditional.status, 404, 'an old tag revives nothing');
      assert.equal((await fetched(web, { ...html, 'if-none-match': '*' })).status, 404);
      const backlinks = await ada.client.get(`${linker}/backlinks`);
      assert.equal(backlinks.status, 200);

      await restore(path);
      await everythingIndexed(service.app.context);
      assert.deepEqual(await state(), before);
      const back = await ada.client.get(path);
      assert.deepEqual(back.data, whole.data);
      assert.equal(back.headers.get('etag'), whole.headers.get('etag'));
      assert.equal(await tagOf(), etag);
      await expectStatus(ada.client.delete(path), 204);
      await expectStatus(ada.client.delete(linker), 204);
    });
  }

  it('looks to others exactly like one that never was', async () => {
    const path = await makeFound('ghost');
    await takeDown(path);
    const comparable = ({ status, text, headers }: Answer) => {
      const kept = [...headers].filter(([key]) => !/^(date|x-request-id|x-ratelimit)/.test(key));
      return { status, text: text.replaceAll('phantom', 'ghost'), headers: kept };
    };
    for (const [who, client] of [
      ['a stranger', eve.client],
      ['a collaborator', grace.client],
      ['an administrator of the instance', root.client],
    ] as const) {
      for (const below of ['', '/threads', '/revisions', '/collaborators', '/links', '/raw']) {
        assert.deepEqual(
          comparable(await client.get(`/briefs/ada/ghost${below}`)),
          comparable(await client.get(`/briefs/ada/phantom${below}`)),
          `${who} ${below}`,
        );
      }
      assert.deepEqual(
        comparable(await client.patch('/briefs/ada/ghost', { content: 'x' })),
        comparable(await client.patch('/briefs/ada/phantom', { content: 'x' })),
        who,
      );
      assert.deepEqual(
        comparable(await client.delete('/briefs/ada/ghost')),
        comparable(await client.delete('/briefs/ada/phantom')),
        who,
      );
    }
    for (const act of ['read', 'raw', 'history', 'share', 'comments', 'delete', 'edit']) {
      for (const { visitor } of [eve, grace]) {
        const ghost = await visitor.get(`/${act}/ada/ghost`);
        const phantom = await visitor.get(`/${act}/ada/phantom`);
        assert.equal(ghost.status, phantom.status, act);
        assert.equal(ghost.text, phantom.text.replaceAll('phantom', 'ghost'), act);
      }
    }
    const [ghost, phantom] = await Promise.all(
      ['ghost', 'phantom'].map((name) => fetched(`${service.webUrl}/ada/${name}`)),
    );
    assert.deepEqual(comparable(ghost as Answer), comparable(phantom as Answer));
    await restore(path);
    await expectStatus(ada.client.delete(path), 204);
  });

  it('those who manage it are told the reason, on every surface, and can only delete it', async () => {
    const path = await makeFound('told');
    await takeDown(path);
    const refused = [
      ada.client.get(path),
      ada.client.get(`${path}/revisions`),
      ada.client.get(`${path}/revisions/1`),
      ada.client.get(`${path}/threads`),
      ada.client.get(`${path}/collaborators`),
      ada.client.get(`${path}/links`),
      ada.client.get(`${path}/events`),
      ada.client.patch(path, { content: 'x' }),
      ada.client.patch(path, { visibility: 'private' }),
      ada.client.patch(path, { name: 'other' }),
      ada.client.post(`${path}/links`, { access: 'read' }),
      ada.client.put(`${path}/collaborators/eve`, { permission: 'read' }),
      ada.client.put(`${path}/labels`, { labels: [] }),
      ada.client.put(`${path}/pin`, {}),
      ada.client.delete(`${path}/collaborators/grace`),
      ada.client.post(`${path}/edits`, { edits: [{ op: 'append', new: 'x' }] }),
    ];
    for (const answer of await Promise.all(refused)) {
      assertError(answer, 451, 'TAKEN_DOWN', /live in secret/);
    }
    assertError(
      await ada.client.post('/user/briefs', { name: 'told', content: 'again' }),
      422,
      'UNPROCESSABLE',
      /already have/,
    );
    const agent = await connect(service, ada.client.token);
    agents.push(agent);
    for (const [tool, args] of [
      ['read_document', { owner: 'ada', name: 'told' }],
      ['manage_document', { action: 'update', owner: 'ada', name: 'told', new_name: 'x' }],
      ['publish_document', { name: 'told', content: 'again' }],
    ] as const) {
      const called = await agent.call(tool, args).then(
        (result) => JSON.stringify(result),
        (error) => String(error),
      );
      assert.match(called, /live in secret|already/, tool);
    }
    for (const act of ['read', 'raw', 'history', 'share', 'rename', 'edit', 'move']) {
      const answer = await ada.visitor.get(`/${act}/ada/told`);
      assert.equal(answer.status, 451, act);
      assert.match(answer.text, /live in secret/, act);
      assert.doesNotMatch(answer.text, /Quokka/, act);
    }
    const open = await ada.visitor.get('/ada/told', { accept: 'text/html' });
    assert.equal(open.status, 451);
    const home = await ada.visitor.get('/?in=own');
    assert.match(home.text, /Taken down.*ada\/told.*live in secret/s);
    assert.deepEqual(pluck(await ada.client.get('/user/takedowns'), 'fullName'), ['ada/told']);
    assert.doesNotMatch((await grace.client.get('/user/takedowns')).text, /told/);
    const exported = await ada.visitor.get('/export');
    assert.doesNotMatch(exported.text, /Quokka told/);

    const asked = await ada.visitor.get('/delete/ada/told');
    assert.equal(asked.status, 200, asked.text);
    const { action, fields } = formWith(asked, 'Delete brief');
    const deleted = await submit(ada.visitor, action, fields);
    assert.match(toastOf(deleted), /was deleted/);
    assert.doesNotMatch(deleted.text, />Undo</);
    const [entry] = (await ada.client.get('/user/trash')).data;
    assert.equal(entry.name, 'told');
    assert.doesNotMatch((await grace.client.get('/user/trash')).text, /told/);
    assertError(await grace.client.post(`/trash/${entry.id}/restore`), 404, 'NOT_FOUND');
    const back = await ada.client.post(`/trash/${entry.id}/restore`);
    assertError(back, 451, 'TAKEN_DOWN', /live in secret/);
    assertError(
      await ada.client.post(`/trash/${entry.id}/restore`, { name: 'elsewhere' }),
      451,
      'TAKEN_DOWN',
    );
    assert.deepEqual((await ada.client.get('/user/takedowns')).data, []);

    const listed = (await root.client.get('/admin/takedowns')).data;
    assert.ok(
      listed.find(
        ({ id, deletedAt }: { id: string; deletedAt: string }) =>
          id === entry.id && deletedAt !== null,
      ),
    );
    await submit(root.visitor, `/admin/takedowns/${entry.id}/restore`);
    assertError(await ada.client.get(path), 404, 'NOT_FOUND');
    await expectStatus(ada.client.post(`/trash/${entry.id}/restore`), 200);
    assert.equal((await ada.client.get(path)).data.visibility, 'public');
    await expectStatus(ada.client.delete(path), 204);
  });

  it('links and invitations wait, unless their maker loses the right to make them', async () => {
    const path = await makeDocument(named(ada), 'offers', { visibility: 'private' });
    await collaborate(ada.client, path, named(grace), 'admin');
    const links = await Promise.all(
      [ada, grace].map((who) => who.client.post(`${path}/links`, { access: 'read' })),
    );
    const [own, other] = links.map(({ data }) => data.url as string) as [string, string];
    const invitation = await invite(ada.client, path, named(eve), 'read');
    const { context } = service.app;
    const { id: accountId } = (await eve.client.get('/user')).data;
    const waiting = async () =>
      (await countWaiting(context.sql.read, { accountId, now: context.now(), limit: 1 }))
        .invitations;
    const before = await waiting();
    await takeDown(path);
    assert.equal(await waiting(), before - 1);
    for (const url of [own, other]) assert.equal((await fetched(url)).status, 404);
    assert.deepEqual((await eve.client.get('/user/brief_invitations')).data, []);
    assert.equal((await eve.visitor.get('/read/ada/offers')).status, 404);
    assertError(await eve.client.patch(`/user/brief_invitations/${invitation}`), 404, 'NOT_FOUND');
    assertError(await eve.client.delete(`/user/brief_invitations/${invitation}`), 404, 'NOT_FOUND');
    await restore(path);
    for (const url of [own, other]) assert.equal((await fetched(url)).status, 200);
    await expectStatus(eve.client.patch(`/user/brief_invitations/${invitation}`), 204);
    await expectStatus(ada.client.delete(path), 204);
  });

  it('a member who is removed meanwhile has nothing when it comes back', async () => {
    await makeOrganization(named(ada), 'guild');
    await join(named(ada), 'guild', named(grace));
    const path = await makeDocument(named(grace), 'ours', { org: 'guild', visibility: 'internal' });
    const link = (await grace.client.post(`${path}/links`, { access: 'read' })).data.url;
    await expectStatus(grace.client.put(`${path}/collaborators/eve`, { permission: 'read' }), 201);
    await takeDown(path);
    assertError(await ada.client.get(path), 451, 'TAKEN_DOWN');
    assertError(await grace.client.get(path), 404, 'NOT_FOUND');
    assert.deepEqual(pluck(await ada.client.get('/orgs/guild/takedowns'), 'name'), ['ours']);
    assertError(await grace.client.get('/orgs/guild/takedowns'), 403, 'FORBIDDEN');
    assertError(await eve.client.get('/orgs/guild/takedowns'), 403, 'FORBIDDEN');
    assert.match((await ada.visitor.get('/organizations/guild')).text, /guild\/ours/);
    assert.doesNotMatch((await grace.visitor.get('/organizations/guild')).text, /guild\/ours/);
    await expectStatus(ada.client.delete('/orgs/guild/members/grace'), 204);
    await restore(path);
    assertError(await grace.client.get(path), 404, 'NOT_FOUND');
    assert.equal((await fetched(link)).status, 404);
    assert.deepEqual((await ada.client.get(`${path}/links`)).data, []);
    assert.deepEqual((await eve.client.get('/user/brief_invitations')).data, []);
    await expectStatus(ada.client.delete('/orgs/guild'), 204);
  });

  it('disabling an account and enabling it doesn’t bring it back, nor the other way round', async () => {
    const mallory = await makePerson(service, 'mallory');
    const path = await makeDocument(named(mallory), 'both');
    const web = `${service.webUrl}/mallory/both`;
    const disable = (disabled: boolean) =>
      setAccountDisabled(service.app.context, 'mallory', disabled);
    const isThere = async () => (await fetched(web)).status === 200;
    await takeDown(path);
    await disable(true);
    await disable(false);
    assert.equal(await isThere(), false);
    assertError(await mallory.client.get(path), 451, 'TAKEN_DOWN');
    await disable(true);
    await restore(path);
    assert.equal(await isThere(), false);
    await takeDown(path);
    await disable(false);
    assert.equal(await isThere(), false);
    await restore(path);
    assert.equal(await isThere(), true);
    assert.equal((await mallory.client.get(path)).data.visibility, 'public');
    await disable(true);
    await takeDown(path);
    await restore(path);
    await disable(false);
    assert.equal(await isThere(), true);
  });

  it('an open upload, and an editor’s changes, end with it', async () => {
    const path = await makeDocument(named(ada), 'typing');
    const { id } = (await ada.client.get(path)).data;
    await takeDown(path);
    const pushed = await ada.visitor.post(`/live/edit/${id}`, undefined, {
      'content-type': 'application/json',
    });
    assert.ok([400, 404, 451].includes(pushed.status), `${pushed.status}`);
    await restore(path);
    await expectStatus(ada.client.delete(path), 204);
  });
});

describe('Taking a document down', () => {
  it('is for administrators; for others its addresses say nothing of documents', async () => {
    await makeDocument(named(ada), 'kept');
    const hidden = await makeDocument(named(ada), 'kept-hidden', { visibility: 'private' });
    for (const name of ['kept', 'kept-hidden', 'kept-missing']) {
      const address = takedownOf(`/briefs/ada/${name}`);
      for (const client of [ada.client, eve.client]) {
        assertError(await client.put(address, { reason: 'x' }), 403, 'FORBIDDEN');
        assertError(await client.delete(address), 403, 'FORBIDDEN');
      }
      for (const { visitor } of [ada, eve]) {
        assert.equal((await visitor.get(`/admin/take-down/ada/${name}`)).status, 404);
        const sent = await visitor.post(`/admin/take-down/ada/${name}`, { reason: 'x' });
        assert.equal(sent.status, 404);
      }
    }
    assertError(await eve.client.get('/admin/takedowns'), 403, 'FORBIDDEN');
    for (const path of ['/admin/takedowns', '/admin/takedowns/x']) {
      assert.equal((await eve.visitor.get(path)).status, 404);
    }
    assert.equal((await eve.visitor.post('/admin/takedowns/x/restore', {})).status, 404);
    assert.equal((await root.visitor.get('/admin/take-down/ada/kept-hidden')).status, 404);
    assertError(
      await root.client.put(takedownOf('/briefs/ada/nothing'), { reason: 'x' }),
      404,
      'NOT_FOUND',
    );
    assertError(await root.client.delete(takedownOf('/briefs/ada/kept')), 404, 'NOT_FOUND');
    await takeDown(hidden);
    assertError(await ada.client.get(hidden), 451, 'TAKEN_DOWN');
    await restore(hidden);
    assert.equal((await ada.client.get(hidden)).data.visibility, 'private');
  });

  it('needs a reason of at most 500 characters', async () => {
    const address = takedownOf(await makeDocument(named(ada), 'reasons'));
    for (const reason of ['', '   ', 'x'.repeat(501)]) {
      assertError(await root.client.put(address, { reason }), 400, 'BAD_REQUEST', /reason/);
    }
    assertError(await root.client.put(address, {}), 400, 'BAD_REQUEST', /reason/);
    const { data } = await takeDown('/briefs/ada/reasons', 'x'.repeat(500));
    assert.equal(data.reason.length, 500);
    const again = await takeDown('/briefs/ada/reasons', 'Another.');
    assert.deepEqual([again.data.reason, again.data.takenDownAt], ['Another.', data.takenDownAt]);
    await restore('/briefs/ada/reasons');
  });

  it('in the app: from the menu of a public document, and back from the list', async () => {
    await makeDocument(named(ada), 'in-app', { content: '# Numbat\n' });
    assert.doesNotMatch((await eve.visitor.get('/read/ada/in-app')).text, /Take down/);
    const page = await root.visitor.get('/read/ada/in-app');
    assert.match(page.text, /href="\/admin\/take-down\/ada\/in-app"/);
    const asked = await root.visitor.get('/admin/take-down/ada/in-app');
    const { action, fields } = formWith(asked, 'Take down');
    const empty = await root.visitor.post(action, { ...fields, reason: ' ' });
    assert.equal(empty.status, 422);
    assert.match(empty.text, /Must be a text of 1 to 500/);
    const done = await submit(root.visitor, action, { ...fields, reason: REASON });
    assert.match(toastOf(done), /^ada\/in-app was taken down/);
    assert.match(done.text, /# Numbat/, 'what everybody could read');
    assert.match((await root.visitor.get('/admin/takedowns')).text, /ada\/in-app/);
    const id = (await root.client.get('/admin/takedowns')).data[0].id;
    const back = await submit(root.visitor, `/admin/takedowns/${id}/restore`);
    assert.match(toastOf(back), /^ada\/in-app was restored/);
    assert.equal((await fetched(`${service.webUrl}/ada/in-app`)).status, 200);
  });

  it('doesn’t show administrators what wasn’t public', async () => {
    const path = await makeDocument(named(ada), 'diary', {
      visibility: 'private',
      content: '# Wombat\n',
    });
    const { data } = await takeDown(path);
    const shown = await root.visitor.get(`/admin/takedowns/${data.id}`);
    assert.equal(shown.status, 200);
    assert.doesNotMatch(shown.text, /Wombat/);
    await restore(path);
    assert.equal((await root.visitor.get(`/admin/takedowns/${data.id}`)).status, 404);
  });

  it('mails those who manage it, and writes the audit trail', async () => {
    await verifyAddress(service, 'ada');
    const path = await makeDocument(named(ada), 'mailed');
    const mailed = (subject: RegExp) =>
      office.mails.find((mail) => subject.test(mail.subject ?? ''));
    await takeDown(path);
    await until('a mail', () => mailed(/ada\/mailed was taken down/) !== undefined);
    const mail = mailed(/ada\/mailed was taken down/) as Delivered;
    assert.deepEqual(mail.recipients, ['ada@example.com']);
    assert.match(mail.subject ?? '', /ada\/mailed was taken down/);
    assert.match(mail.text ?? '', /> It names people who live in secret\./);
    await restore(path);
    await until('another mail', () => mailed(/ada\/mailed is back/) !== undefined);
    const entries = await service.app.context.sql.read
      .selectFrom('audit_entry')
      .where('subject', '=', 'ada/mailed')
      .where('action', 'like', '%take%')
      .select(['action', 'actorName as actor', 'detail'])
      .orderBy('id')
      .execute();
    assert.deepEqual(entries, [
      {
        action: 'document.taken_down',
        actor: 'root-user',
        detail: JSON.stringify({ kind: 'brief', reason: REASON }),
      },
      {
        action: 'document.takedown_ended',
        actor: 'root-user',
        detail: JSON.stringify({ kind: 'brief' }),
      },
    ]);
  });
});
