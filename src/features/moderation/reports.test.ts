import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { type Answer, assertError, type Service } from '../../../test/harness.ts';
import { openPostOffice, type PostOffice } from '../../../test/mail/post-office.ts';
import { makeDocument, pluck } from '../../../test/rest/scenario.ts';
import { newVisitor, startWithVisitors, type Visitor } from '../../../test/sign-in/visitor.ts';
import { until } from '../../../test/until.ts';
import { formWith, submit, toastOf } from '../../../test/web-app/forms.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { KINDS } from '../../base/schema/kind.ts';
import { makeAdministrator } from './administrator.testing.ts';
import { verifyAddress } from './verified.testing.ts';

const HOUR = 60 * 60_000;

let service: Service;
let office: PostOffice;
let root: Person;
let ada: Person;
let eve: Person;
let addresses = 0;

/** Somebody without an account, at another IP address than all before. */
const somebody = (): Visitor => newVisitor(service, { address: `198.51.100.${++addresses}` });

before(async () => {
  office = await openPostOffice();
  service = await startWithVisitors({ ...office.settings, REPORTS: 'on' });
  root = await makeAdministrator(service, 'root-user');
  ada = await makePerson(service, 'ada');
  eve = await makePerson(service, 'eve');
});
after(async () => {
  await service.stop();
  await office.close();
});

const make = (name: string, options: Parameters<typeof makeDocument>[2] = {}) =>
  makeDocument({ ...ada.client, username: 'ada' }, name, options);

async function report(
  visitor: Visitor,
  path: string,
  fields: Record<string, string> = { kind: 'spam' },
): Promise<Answer> {
  const page = await visitor.get(path);
  assert.equal(page.status, 200, page.text);
  const form = formWith(page, 'Report');
  return visitor.post(form.action, { ...form.fields, ...fields });
}

const reportsOf = async (fullName: string, state = 'open') =>
  (await root.client.get(`/admin/reports?state=${state}&per_page=100`)).data.filter(
    (each: { fullName: string }) => each.fullName === fullName,
  );

describe('Reporting a document', () => {
  it('is linked from public pages, and from the menu of those who read it', async () => {
    await make('linked');
    await make('linked', { kind: KINDS.page });
    const visitor = somebody();
    assert.match((await visitor.get('/ada/linked')).text, /href="\/report\/ada\/linked"/);
    const page = await visitor.get('/ada/pages/linked');
    assert.match(page.text, /href="\/report\/ada\/pages\/linked"/);
    assert.match((await eve.visitor.get('/read/ada/linked')).text, /href="\/report\/ada\/linked"/);
    assert.doesNotMatch((await ada.visitor.get('/read/ada/linked')).text, /\/report\//);
  });

  it('needs no account and no script; the same reporter has one report', async () => {
    await make('plain');
    const visitor = somebody();
    for (const words of ['In line 3.', 'And in line 4.']) {
      const fields = { kind: 'abuse', words, email: 'me@example.org' };
      const done = await report(visitor, '/report/ada/plain', fields);
      assert.equal(done.status, 200, done.text);
      assert.match(done.text, /Thank you/);
    }
    const [one, ...others] = await reportsOf('ada/plain');
    assert.equal(others.length, 0);
    assert.deepEqual(
      [one.kind, one.words, one.reporter, one.email],
      ['abuse', 'In line 3.', null, 'me@example.org'],
    );
    assert.equal((await report(somebody(), '/report/ada/plain')).status, 200);
    assert.equal((await reportsOf('ada/plain')).length, 2);
    const said = await report(eve.visitor, '/report/ada/plain');
    assert.equal(said.status, 303);
    assert.match(toastOf(await eve.visitor.get('/read/ada/plain')), /An administrator will look/);
    assert.equal((await reportsOf('ada/plain'))[0].reporter, 'eve');
  });

  it('refuses what is incomplete, with what was typed', async () => {
    await make('checked');
    const visitor = somebody();
    for (const [fields, problem] of [
      [{}, /Choose what is wrong/],
      [{ kind: '__proto__' }, /Choose what is wrong/],
      [{ kind: 'other', words: ' ' }, /Say what is wrong/],
      [{ kind: 'spam', words: 'x'.repeat(1_001) }, /at most 1000/],
      [{ kind: 'spam', email: 'nobody' }, /Must be an email address/],
    ] as const) {
      const answer = await report(visitor, '/report/ada/checked', fields);
      assert.equal(answer.status, 400 <= answer.status ? answer.status : 0);
      assert.match(answer.text, problem);
    }
    const elsewhere = await visitor.post('/report/ada/checked', { kind: 'spam', document: '' });
    assert.equal(elsewhere.status, 409);
    assert.deepEqual(await reportsOf('ada/checked'), []);
  });

  it('finds nothing that isn’t public, for those who can read it, too', async () => {
    await make('secret', { visibility: 'private' });
    const comparable = ({ status, text }: Answer, name: string) => [
      status,
      text.replaceAll(name, 'x'),
    ];
    for (const visitor of [somebody(), eve.visitor, ada.visitor]) {
      assert.deepEqual(
        comparable(await visitor.get('/report/ada/secret'), 'secret'),
        comparable(await visitor.get('/report/ada/absent'), 'absent'),
      );
      const forms = { kind: 'spam', document: 'x' };
      assert.deepEqual(
        comparable(await visitor.post('/report/ada/secret', forms), 'secret'),
        comparable(await visitor.post('/report/ada/absent', forms), 'absent'),
      );
      assert.equal((await visitor.get('/report/ada/secret')).status, 404);
    }
  });

  it('five in an hour, by account or by address', async () => {
    for (let index = 0; index < 7; index++) await make(`many-${index}`);
    for (const visitor of [somebody(), (await makePerson(service, 'eager')).visitor]) {
      for (let index = 0; index < 5; index++) {
        const { status } = await report(visitor, `/report/ada/many-${index}`);
        assert.ok([200, 303].includes(status), `${status}`);
      }
      const sixth = await report(visitor, '/report/ada/many-5', { kind: 'spam', words: 'Typed.' });
      assert.equal(sixth.status, 429);
      assert.match(sixth.text, /Too many attempts.*Typed\./s);
    }
    assert.equal((await report(somebody(), '/report/ada/many-5')).status, 200);
  });

  it('isn’t there while REPORTS is off', async () => {
    const off = await startWithVisitors();
    try {
      const person = await makePerson(off, 'ada');
      await makeDocument({ ...person.client, username: 'ada' }, 'open');
      const visitor = newVisitor(off);
      assert.doesNotMatch((await visitor.get('/ada/open')).text, /\/report\//);
      assert.equal((await visitor.get('/report/ada/open')).status, 404);
      assert.equal((await person.visitor.get('/report/ada/open')).status, 404);
    } finally {
      await off.stop();
    }
  });
});

describe('Reports', () => {
  it('are for administrators', async () => {
    await make('guarded');
    await report(somebody(), '/report/ada/guarded');
    const [{ id, documentId }] = await reportsOf('ada/guarded');
    for (const { client, visitor } of [ada, eve]) {
      assertError(await client.get('/admin/reports'), 403, 'FORBIDDEN');
      const closing = await client.put(`/admin/reports/${id}/outcome`, { outcome: 'closed' });
      assertError(closing, 403, 'FORBIDDEN');
      for (const path of ['/admin/reports', `/admin/reports/${documentId}`]) {
        assert.equal((await visitor.get(path)).status, 404);
      }
      for (const act of ['take-down', 'close']) {
        const sent = await visitor.post(`/admin/reports/${documentId}/${act}`, { reason: 'x' });
        assert.equal(sent.status, 404);
      }
    }
    assert.equal((await reportsOf('ada/guarded')).length, 1);
  });

  it('taking the document down closes them, and answers by mail', async () => {
    await verifyAddress(service, 'eve');
    await make('bad');
    await report(somebody(), '/report/ada/bad', { kind: 'copyright', email: 'me@example.org' });
    await report(somebody(), '/report/ada/bad', { kind: 'copyright' });
    await report(eve.visitor, '/report/ada/bad', { kind: 'spam' });
    const [{ documentId }] = await reportsOf('ada/bad');
    const list = await root.visitor.get('/admin/reports');
    assert.match(list.text, /ada\/bad.*3 reports/s);
    const page = await root.visitor.get(`/admin/reports/${documentId}`);
    assert.match(page.text, />A violation of copyright\.<\/textarea>/, 'the reason of most');
    const form = formWith(page, 'Take down');
    const done = await submit(root.visitor, form.action, { reason: 'Copied.' });
    assert.match(toastOf(done), /ada\/bad was taken down/);
    assertError(await eve.client.get('/briefs/ada/bad'), 404, 'NOT_FOUND');
    assert.deepEqual(await reportsOf('ada/bad'), []);
    const closed = await reportsOf('ada/bad', 'closed');
    assert.deepEqual(
      closed.map(({ outcome, email }: { outcome: string; email: null }) => [outcome, email]),
      Array(3).fill(['taken_down', null]),
    );
    const answers = () =>
      office.mails.filter(({ subject }) => subject === 'Your report of ada/bad');
    await until('both answers', async () => answers().length >= 2);
    assert.deepEqual(
      answers()
        .flatMap(({ recipients }) => recipients)
        .sort(),
      ['eve@example.com', 'me@example.org'],
    );
    for (const { text = '' } of answers()) {
      assert.match(text, /An administrator has taken it down/);
      assert.doesNotMatch(text, /Copied/);
    }
    const after = await root.visitor.get(`/admin/reports/${documentId}`);
    assert.match(after.text, /Taken down/);
    assert.doesNotMatch(after.text, /<textarea/);
  });

  it('are counted in the navigation of administrators, and of nobody else', async () => {
    const openNow = async () =>
      (await root.client.get('/admin/reports?state=open&per_page=100')).data.length;
    const counted = async (path: string) => {
      const { text } = await root.visitor.get(path);
      const [, count] = /href="\/admin\/reports".*?class="count">(\d+)</s.exec(text) ?? [];
      return Number(count);
    };
    await make('counted');
    await report(somebody(), '/report/ada/counted');
    assert.equal(await counted('/'), await openNow());
    await report(somebody(), '/report/ada/counted');
    assert.equal(await counted('/inbox'), await openNow());
    assert.doesNotMatch((await eve.visitor.get('/')).text, /\/admin/);
  });

  it('can be dismissed, all of a document at once; then it can be reported again', async () => {
    await make('fine');
    const visitor = somebody();
    await report(visitor, '/report/ada/fine');
    await report(somebody(), '/report/ada/fine');
    const [{ id, documentId }] = await reportsOf('ada/fine');
    const page = await root.visitor.get(`/admin/reports/${documentId}`);
    const { action, fields } = formWith(page, 'Dismiss');
    await submit(root.visitor, action, fields);
    assert.deepEqual(await reportsOf('ada/fine'), []);
    assert.deepEqual(
      (await reportsOf('ada/fine', 'closed')).map(({ outcome }: { outcome: string }) => outcome),
      ['dismissed', 'dismissed'],
    );
    const again = await root.client.put(`/admin/reports/${id}/outcome`, { outcome: 'closed' });
    assertError(again, 422, 'UNPROCESSABLE');
    await report(visitor, '/report/ada/fine');
    const open = await reportsOf('ada/fine');
    assert.equal(open.length, 1);
    const { data } = await root.client.put(`/admin/reports/${open[0].id}/outcome`, {
      outcome: 'closed',
    });
    assert.equal(data.outcome, 'closed');
    assert.ok(pluck(await root.client.get('/admin/reports?state=closed'), 'id').includes(data.id));
  });

  it('administrators get at most one mail about new ones in an hour', async () => {
    await verifyAddress(service, 'root-user');
    service.advance(2 * HOUR);
    const told = () =>
      office.mails.filter(
        ({ recipients, text = '' }) =>
          recipients.includes('root-user@example.com') && text.includes('/admin/reports'),
      );
    const before = told().length;
    for (let index = 0; index < 3; index++) {
      await make(`mailed-${index}`);
      await report(somebody(), `/report/ada/mailed-${index}`);
    }
    await until('a mail', async () => told().length > before);
    assert.equal(told().length, before + 1);
    service.advance(2 * HOUR);
    await make('mailed-later');
    await report(somebody(), '/report/ada/mailed-later');
    await until('another mail', async () => told().length > before + 1);
    assert.equal(told().length, before + 2);
  });
});
