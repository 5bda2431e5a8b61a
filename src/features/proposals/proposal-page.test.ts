import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';

import { collaborate, expectStatus } from '../../../test/rest/scenario.ts';
import { startWithVisitors } from '../../../test/sign-in/visitor.ts';
import { formWith, submit, toastOf } from '../../../test/web-app/forms.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';

const TEXT = 'One.\n\nTwo.\n';

function formOf(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

/** Sends the editor's form and returns the following page. */
async function propose(visitor: Person['visitor'], path: string, fields: Record<string, string>) {
  const answer = await visitor.post(path, formOf(fields));
  assert.equal(answer.status, 303, answer.text);
  return visitor.get(answer.headers.get('location') ?? '');
}

describe('Proposals in the app', async () => {
  const service = await startWithVisitors();
  after(() => service.stop());
  const ada = await makePerson(service, 'ada');
  const grace = await makePerson(service, 'grace');

  async function makeDocument(
    segment: string,
    field: string,
    name: string,
    permission: 'read' | 'write',
  ) {
    const body = { name, [field]: TEXT, visibility: 'private' };
    await expectStatus(ada.client.post(`/user/${segment}`, body), 201);
    const path = `/${segment}/ada/${name}`;
    await collaborate(ada.client, path, { ...grace.client, username: 'grace' }, permission);
    return path;
  }

  for (const [segment, field, web, button, done] of [
    ['briefs', 'content', 'ada', 'Save suggestions', /^Saved 1 suggestion\./],
    ['pages', 'html', 'ada/pages', 'Propose changes', /^Proposed\./],
  ] as const) {
    it(`of ${segment} are created in the editor, compared, accepted and rejected`, async () => {
      const path = await makeDocument(segment, field, 'report', 'read');
      const at = `/${web}/report`;
      const read = await grace.visitor.get(`/read${at}`);
      assert.ok(read.text.includes(`href="/propose${at}"`), 'a link to propose');
      const edit = await grace.visitor.get(`/edit${at}`);
      assert.equal(edit.headers.get('location'), `/propose${at}`);
      const { fields } = formWith(await grace.visitor.get(`/propose${at}`), button);
      const empty = await grace.visitor.post(`/propose${at}`, formOf({ ...fields, content: TEXT }));
      assert.equal(empty.status, 422);
      assert.match(empty.text, /changes nothing/);
      const offer = (from: string, to: string) =>
        propose(grace.visitor, `/propose${at}`, {
          ...fields,
          content: TEXT.replace(from, to).replaceAll('\n', '\r\n'),
          message: '<b>why</b>',
        });
      const shown = await offer('Two.', 'Zwei.');
      assert.match(toastOf(shown), done);
      assert.match(shown.text, /Zwei/);
      assert.ok(!shown.text.includes('>Accept<'), 'Grace can’t accept');

      await expectStatus(ada.client.patch(path, { [field]: `Zero.\n\n${TEXT}` }), 200);
      const [{ id }] = (await ada.client.get(`${path}/threads`)).data;
      const mine = await ada.visitor.get(`/propose${at}?thread=${id}`);
      const accept = formWith(mine, 'Accept');
      const accepted = await submit(ada.visitor, accept.action, accept.fields);
      assert.match(toastOf(accepted), /^Accepted\./);
      const text = (await ada.client.get(path)).data[field];
      assert.equal(text, `Zero.\n\n${TEXT}`.replace('Two', 'Zwei'));

      await offer('One.', 'Eins.');
      await expectStatus(ada.client.patch(path, { [field]: text.replace('One.', 'Un.') }), 200);
      const [{ id: other }] = (await ada.client.get(`${path}/threads`)).data;
      const conflicting = await ada.visitor.get(`/propose${at}?thread=${other}`);
      assert.match(conflicting.text, /can’t be accepted/);
      const reject = formWith(conflicting, 'Reject');
      assert.match(toastOf(await submit(ada.visitor, reject.action, reject.fields)), /^Rejected\./);
    });
  }

  it('are the way to change a protected public document', async () => {
    const path = await makeDocument('briefs', 'content', 'guarded', 'write');
    await expectStatus(ada.client.patch(path, { visibility: 'public' }), 200);
    await expectStatus(ada.client.patch(`${path}/review-settings`, { protected: true }), 200);
    const refused = await grace.client.patch(path, { content: 'x' });
    assert.match(refused.json.error.message, /Propose the change/);
    const edit = await grace.visitor.get('/edit/ada/guarded');
    assert.equal(edit.headers.get('location'), '/propose/ada/guarded');
    const { fields } = formWith(
      await grace.visitor.get('/propose/ada/guarded'),
      'Save suggestions',
    );
    await propose(grace.visitor, '/propose/ada/guarded', {
      ...fields,
      content: 'New.\n',
      message: '',
    });
    const [{ id }] = (await ada.client.get(`${path}/threads`)).data;
    const accept = async ({ visitor }: Person) => {
      const page = await visitor.get(`/propose/ada/guarded?thread=${id}`);
      return submit(visitor, '/read/ada/guarded', formWith(page, 'Accept').fields);
    };
    assert.match(toastOf(await accept(grace)), /an admin accepts it in the web app/);
    await accept(ada);
    assert.equal((await ada.client.get(path)).data.content, 'New.\n');
  });
  it('are accepted only where all changes are shown', async () => {
    const path = await makeDocument('briefs', 'content', 'long', 'write');
    const lines = (word: string) =>
      Array.from({ length: 3_000 }, (_, index) => `${word} line ${index}\n`).join('');
    const edits = [{ op: 'append', content: `${lines('new')}HIDDEN\n${lines('more')}` }];
    const { id } = (await grace.client.post(`${path}/edits`, { edits, propose: true })).data;
    const short = await ada.visitor.get(`/propose/ada/long?thread=${id}`);
    assert.doesNotMatch(short.text, /HIDDEN|>Accept</);
    const [, href = ''] =
      /<a class="secondary" href="([^"]*)">Show all changes/.exec(short.text) ?? [];
    const whole = await ada.visitor.get(href.replaceAll('&amp;', '&'));
    assert.match(whole.text, /HIDDEN/);
    const { action, fields } = formWith(whole, 'Accept');
    await submit(ada.visitor, action, fields);
    assert.match((await ada.client.get(path)).data.content, /HIDDEN/);
  });
});
