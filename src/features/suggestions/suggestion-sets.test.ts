import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertError } from '../../../test/harness.ts';
import { collaborate, expectStatus } from '../../../test/rest/scenario.ts';
import { startWithVisitors } from '../../../test/sign-in/visitor.ts';
import {
  formsOf,
  formWith,
  type ListedForm,
  submit,
  toastOf,
} from '../../../test/web-app/forms.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';

const TEXT =
  '# Plan\n\nWe open the library in December.\n\nIt costs ten thousand a year.\n\n' +
  'Everybody is welcome to help on Saturday.\n';

function formOf(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

describe('Suggestions that are made together', async () => {
  const service = await startWithVisitors();
  after(() => service.stop());
  const ada = await makePerson(service, 'ada');
  const grace = await makePerson(service, 'grace');
  const eve = await makePerson(service, 'eve');

  async function make(name: string, more: object = {}, permission: 'read' | 'write' = 'read') {
    const body = { name, content: TEXT, visibility: 'private', ...more };
    await expectStatus(ada.client.post('/user/briefs', body), 201);
    const path = `/briefs/ada/${name}`;
    await collaborate(ada.client, path, { ...grace.client, username: 'grace' }, permission);
    return path;
  }

  /** Suggests a text in the editor; returns the following page. */
  async function suggest({ visitor }: Person, name: string, content: string, message = '') {
    const editor = formWith(await visitor.get(`/propose/ada/${name}`), 'Save suggestions');
    const answer = await visitor.post(
      editor.action,
      formOf({ ...editor.fields, content, message }),
    );
    assert.equal(answer.status, 303, answer.text);
    const at = answer.headers.get('location') ?? '';
    return { at, page: await visitor.get(at) };
  }

  const threadsOf = async (path: string) =>
    (await expectStatus(ada.client.get(`${path}/threads?state=all`), 200)).data;

  it('are decided one by one or all, and their words stay their author’s', async () => {
    const path = await make('plan');
    const suggested = TEXT.replace('December', 'January')
      .replace('ten thousand a year', 'nothing')
      .replace(' on Saturday', '')
      .replace('# Plan', '# Plan for all');
    const { at, page } = await suggest(grace, 'plan', suggested, 'After the meeting');
    assert.match(toastOf(page), /^Saved 4 suggestions\./);
    assert.match(page.text, /After the meeting/);
    assert.ok(!page.text.includes('>Accept'), 'Grace can’t accept');
    const made = await threadsOf(path);
    assert.equal(new Set(made.map(({ set }: { set: string }) => set)).size, 1);
    assert.deepEqual(
      made.map(({ on, replacement }: { on: { quote: string }; replacement: string }) => [
        on.quote,
        replacement,
      ]),
      [
        [' on Saturday', ''],
        ['ten thousand a year', 'nothing'],
        ['December', 'January'],
        ['Plan', 'Plan for all'],
      ],
    );

    const shown = await ada.visitor.get(at);
    const accepts = formsOf(shown).filter(({ fields }) => fields.act === 'accept');
    assert.equal(accepts.length, 4);
    const [, second, third] = accepts as [ListedForm, ListedForm, ListedForm];
    // What one may not do with buttons, one may not do without them.
    assert.match(
      toastOf(await submit(grace.visitor, second.action, second.fields)),
      /Only people who can edit/,
    );
    const accepted = await submit(ada.visitor, second.action, second.fields);
    assert.match(toastOf(accepted), /^Accepted\./);
    assert.match(accepted.text, /Accepted by ada/);

    // The page that is still open shows another text.
    const stale = await ada.visitor.post(third.action, third.fields);
    assert.equal(stale.status, 409);
    assert.match(stale.text, /The text has changed since you read it/);
    const reject = formsOf(stale).filter(({ fields }) => fields.act === 'reject')[1];
    assert.ok(reject);
    const rejected = await submit(ada.visitor, reject.action, reject.fields);
    assert.match(toastOf(rejected), /^Rejected\./);
    const rest = formWith(rejected, 'Accept the other 2');
    const changed = { ...rest.fields, expected: `${rest.fields.expected}x` };
    const other = await ada.visitor.post(rest.action, changed);
    assert.equal(other.status, 409, 'only what was shown is accepted');
    assert.match(toastOf(await submit(ada.visitor, rest.action, rest.fields)), /^Accepted 2/);

    const { data } = await ada.client.get(path);
    assert.equal(data.content, suggested.replace('nothing', 'ten thousand a year'));
    const { data: by } = await expectStatus(ada.client.get(`${path}/authorship`), 200);
    const words = by.spans
      .filter(({ source }: { source: number }) => by.sources[source].author === 'grace')
      .map(({ start, end }: { start: number; end: number }) => data.content.slice(start, end));
    assert.deepEqual(words, [' for all', 'January']);
    const states = (await threadsOf(path)).map(({ state }: { state: string }) => state);
    assert.deepEqual(states, ['accepted', 'rejected', 'accepted', 'accepted']);
  });

  it('are told to others as one event', async () => {
    await make('told');
    const before = (await ada.client.get('/user/inbox')).data.length;
    await suggest(grace, 'told', TEXT.replace('December', 'May').replace('Saturday', 'Sunday'));
    const told = async () => (await ada.client.get('/user/inbox')).data.length - before;
    // With PostgreSQL, the feed takes a moment.
    for (let tries = 0; tries < 100 && (await told()) === 0; tries++) await sleep(50);
    assert.equal(await told(), 1);
    const { at } = await suggest(grace, 'told', `${TEXT}\nOne more paragraph.\n`);
    assert.match((await ada.visitor.get(at)).text, /One more paragraph/);
  });

  it('are made only by those who can comment, from a text that they can read', async () => {
    const path = await make('rights');
    assert.equal((await eve.visitor.get('/propose/ada/rights')).status, 404);
    const { fields } = formWith(await grace.visitor.get('/propose/ada/rights'), 'Save suggestions');
    await expectStatus(ada.client.patch(path, { visibility: 'public' }), 200);
    const content = TEXT.replace('December', 'May');
    const refused = await eve.visitor.post(
      '/propose/ada/rights',
      formOf({ ...fields, account: '', content }),
    );
    assert.equal(refused.status, 403, refused.text);
    await expectStatus(ada.client.patch(path, { content: TEXT.replace('December', 'June') }), 200);
    const conflicting = await grace.visitor.post(
      '/propose/ada/rights',
      formOf({ ...fields, content }),
      { accept: 'application/json' },
    );
    assert.equal(conflicting.status, 409);
    const { current } = JSON.parse(conflicting.text);
    assert.deepEqual(current, { content: TEXT.replace('December', 'June'), revision: 3 });
    assert.equal((await threadsOf(path)).length, 0);
  });

  it('are a proposal where passages can’t tell them', async () => {
    const path = await make('empty', { content: '' });
    await suggest(grace, 'empty', TEXT);
    const [{ kind, set }] = await threadsOf(path);
    assert.deepEqual([kind, set], ['proposal', null]);
    assertError(await eve.client.get(`${path}/threads`), 404, 'NOT_FOUND');
  });
});
