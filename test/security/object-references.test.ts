import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { loadAuthorizationKeys } from '../../src/core/identity/key-service.ts';
import { packAll } from '../document/pack-all.ts';
import { type Service, startService } from '../harness.ts';
import { expectStatus } from '../rest/scenario.ts';
import { databaseState } from '../state.ts';
import { formsOf, type ListedForm } from '../web-app/forms.ts';
import { SCREENS } from '../web-app/screens.ts';
import { makePerson, makeWorld, type Person } from '../web-app/world.ts';

/** Fields that people fill in, with which each form of a document would do something. */
const FILLED = {
  verdict: 'approved',
  visibility: 'private',
  comments: 'off',
  level: 'none',
  body: 'Hi',
  name: 'renamed',
  added: 'label',
  username: 'mallory',
  permission: 'read',
  owner: 'observatory',
  access: 'read',
  days: 'never',
  act: 'open',
  content: 'Other text.',
  baseRevision: '1',
};

/** The name of the document at a form's address, if it has one. */
const refOfForm = ({ action }: ListedForm): string | undefined =>
  /^\/(?!organizations)[a-z]+\/(?:ada|observatory)\/(?:pages\/)?([^/?]+)/.exec(action)?.[1];

describe('Foreign ids: the requests of another user’s screens', () => {
  let app: Service;
  let ada: Person;
  let grace: Person;
  let mallory: Person;

  before(async () => {
    app = await startService();
    ({ ada, grace } = await makeWorld(app));
    // Otherwise Mallory's own link would create the service's keys.
    await loadAuthorizationKeys(app.app.context);
    // Has one of everything, so that Mallory's own paths can be combined with Ada's ids.
    mallory = await makePerson(app, 'mallory');
    await mallory.client.post('/user/briefs', { name: 'own', content: '# Own' });
    await mallory.client.post('/user/orgs', { namespace: 'coven', name: 'Coven' });
  });
  after(() => app.stop());

  /** Everything that isn't Mallory's own. */
  async function others(): Promise<unknown> {
    // Otherwise old texts could be packed meanwhile.
    await packAll(app.app.context);
    const state = await databaseState(app.app.context);
    const { id } = (await mallory.client.get('/user')).data;
    const documents = await app.app.context.sql.read
      .selectFrom('document')
      .select('id')
      .where('createdBy', '=', id)
      .execute();
    const own = [id, ...documents.map((document) => document.id)];
    return Object.fromEntries(
      Object.entries(state).map(([table, rows]) => [
        table,
        rows.filter((row) => !own.some((one) => JSON.stringify(row).includes(one))),
      ]),
    );
  }

  /** Every form that Ada is shown, including confirmations. */
  async function formsOfAda(): Promise<ListedForm[]> {
    const forms: ListedForm[] = [];
    for (const { path, as } of SCREENS) {
      if (as) continue;
      const page = await ada.visitor.get(path);
      forms.push(...formsOf(page));
      for (const [, href = ''] of page.text.matchAll(/href="(\/[^"]+\/(?:revoke|delete))"/g)) {
        forms.push(...formsOf(await ada.visitor.get(href)));
      }
    }
    return forms.filter(({ action }) => action !== '' && action !== '/search');
  }

  const BELOW_OWN: [RegExp, string][] = [
    [/\/ada\/pages\/dice|\/ada\/(plan|reading-list)/, '/mallory/own'],
    [/\/organizations\/observatory/, '/organizations/coven'],
  ];

  it('sent by another user, unchanged or below that user’s own path, change nothing', async () => {
    const forms = await formsOfAda();
    assert.ok(forms.some(({ fields }) => fields.invitation));
    assert.ok(forms.some(({ action }) => /tokens\/[0-9a-f-]{36}\/revoke/.test(action)));
    const before = await others();
    for (const { action, fields } of forms) {
      // Requests without a target create something that belongs to the caller.
      if (/account\/delete|sign-out|sessions\/end-all|\/settings\/(email|password)/.test(action))
        continue;
      const [crossed = action] = BELOW_OWN.map(([pattern, own]) =>
        action.replace(pattern, own),
      ).filter((path) => path !== action);
      for (const path of new Set([action, crossed])) {
        // Crossed, a form is about Mallory's document, otherwise it would be refused for that alone.
        const { document, ...rest } = fields;
        const sent = path === action || document === undefined ? fields : rest;
        const answer = await mallory.visitor.post(path, sent);
        assert.ok(answer.status < 500, `${path}: ${answer.status}`);
      }
    }
    assert.deepEqual(await others(), before);
  });

  it('of a document say which one they are about, and change no other at the address', async () => {
    const idOf = async (path: string) => (await expectStatus(ada.client.get(path), 200)).data.id;
    const [plan, list, dice] = await Promise.all(
      ['/briefs/ada/plan', '/briefs/ada/reading-list', '/pages/ada/dice'].map(idOf),
    );
    const { data: threads } = await ada.client.get('/briefs/ada/plan/threads');
    const suggestion = threads.find(({ kind }: { kind: string }) => kind === 'replacement').id;
    const link = { access: 'comment' };
    await expectStatus(ada.client.post('/briefs/ada/plan/links', link), 201);
    const shown = await Promise.all(
      [
        ...['labels', 'move', 'propose', 'pin'].map((act) => `/${act}/ada/plan`),
        ...['?pin=1', '?erase=1'].map((query) => `/history/ada/plan${query}`),
        `/propose/ada/plan?thread=${suggestion}`,
        '/share/ada/plan',
        '/read/ada/plan@1',
        '/?in=own',
      ].map((path) => ada.visitor.get(path)),
    );
    const { visitor } = grace;
    const leave = formsOf(await visitor.get('/share/ada/plan/leave'));
    const forms = [...(await formsOfAda()), ...shown.flatMap(formsOf)].map((form) => ({
      form,
      visitor: ada.visitor,
    }));
    forms.push(...leave.map((form) => ({ form, visitor })));
    const about = forms.filter(({ form }) => refOfForm(form) !== undefined);
    const acts = new Set(about.map(({ form }) => form.action.replace(/\/ada.*/, '')));
    const all = ['delete', 'edit', 'history', 'labels', 'move', 'notifications', 'pin', 'propose'];
    for (const act of [...all, 'read', 'rename', 'review', 'share'])
      assert.ok(acts.has(`/${act}`), act);
    const state = async () => {
      const { session, ...rest } = await databaseState(app.app.context);
      return rest;
    };
    const before = await state();
    for (const { form, visitor } of about) {
      const { action, fields } = form;
      const expected = { plan, dice, 'reading-list': list }[refOfForm(form) ?? ''];
      if (expected !== undefined) assert.equal(fields.document, expected, JSON.stringify(form));
      for (const document of [fields.document === list ? plan : list, '']) {
        const sent = new FormData();
        for (const [name, value] of Object.entries({ ...FILLED, ...fields, document })) {
          sent.set(name, value);
        }
        const isLong = /^\/(edit|propose)\//.test(action);
        const body = isLong
          ? sent
          : Object.fromEntries(sent as unknown as Iterable<[string, string]>);
        const { status, text } = await visitor.post(action, body);
        assert.ok([303, 409].includes(status), `${action}: ${status} ${text}`);
      }
    }
    assert.deepEqual(await state(), before);
  });

  it('Ada’s ids at the API, below Mallory’s own paths: 404', async () => {
    const { data: invitations } = await ada.client.get('/briefs/ada/plan/invitations');
    const { data: asked } = await ada.client.get('/orgs/observatory/invitations');
    assert.ok(invitations.length > 0 && asked.length > 0);
    const before = await others();
    for (const { id } of [...invitations, ...asked]) {
      for (const path of [
        `/briefs/mallory/own/invitations/${id}`,
        `/briefs/ada/plan/invitations/${id}`,
        `/orgs/coven/invitations/${id}`,
        `/orgs/observatory/invitations/${id}`,
        `/user/brief_invitations/${id}`,
        `/user/files/${id}`,
      ]) {
        for (const send of ['delete', 'patch'] as const) {
          const { status } = await mallory.client[send](path, { permission: 'admin' } as never);
          assert.ok([400, 403, 404, 405].includes(status), `${send} ${path}: ${status}`);
        }
      }
    }
    assert.deepEqual(await others(), before);
  });
});
