import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { zip } from '../../../test/document/zip.ts';
import { type Answer, startService } from '../../../test/harness.ts';
import { newVisitor } from '../../../test/sign-in/visitor.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { openThreads } from '../../open-context.ts';

type Sent = readonly [name: string, bytes: string | Buffer];

/** The form as sent by a browser: the choices, then the files. */
function formOf(choice: Record<string, string>, files: readonly Sent[]): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(choice)) form.append(name, value);
  for (const [name, bytes] of files) form.append('files', new Blob([bytes as string]), name);
  return form;
}

/** The page's result for each file, as text. */
const fatesOn = ({ text }: Answer) =>
  Array.from(text.matchAll(/<tr data-outcome[^>]*>(.*?)<\/tr>/gs), ([, row = '']) =>
    row
      .replace(/<svg.*?<\/svg>/gs, '')
      .replace(/<\/td><td>/, ': ')
      .replace(/<[^>]+>/g, '')
      .replaceAll('&quot;', '"'),
  );

describe('Importing', async () => {
  const service = await startService();
  after(() => service.stop());
  const ada = await makePerson(service, 'ada');
  const grace = await makePerson(service, 'grace');
  const made = await ada.client.post('/user/orgs', { namespace: 'engines', name: 'Engines' });
  assert.equal(made.status, 201);
  const member = { role: 'member' };
  await ada.client.put('/orgs/engines/members/grace', member);
  await grace.client.patch('/user/memberships/orgs/engines', { state: 'active' });

  const send = (person: Person, choice: Record<string, string>, ...files: Sent[]) =>
    person.visitor.post('/import', formOf(choice, files));

  it('reports partial results if the service fails', async () => {
    // Page titles are extracted on threads.
    const lame = await startService({}, { threads: openThreads() });
    const person = await makePerson(lame, 'ada');
    await lame.app.context.markdown.close();
    const choice = { owner: 'ada', visibility: 'private', ifTaken: 'number' };
    const answer = await send(person, choice, ['a.md', '# A'], ['b.html', '<p>b'], ['c.md', 'c']);
    assert.equal(answer.status, 503);
    assert.ok(answer.headers.get('retry-after'));
    assert.deepEqual(fatesOn(answer), ['a.md: Imported as ada/a']);
    assert.match(answer.text, /The files below are done\. Import the others later/);
    await lame.stop();
  });

  it('creates briefs from Markdown and pages from HTML, and links to each', async () => {
    const choice = { owner: 'ada', visibility: 'private', ifTaken: 'skip' };
    const answer = await send(
      ada,
      choice,
      ['Plan A.md', '# Plan\n'],
      ['dice.html', '<!doctype html><p>6'],
      ['data.csv', '1,2'],
      ['bad.md', Buffer.from([0xff, 0xfe, 0x41])],
    );
    assert.equal(answer.status, 200);
    const fates = fatesOn(answer);
    assert.equal(fates[0], 'Plan A.md: Imported as ada/plan-a');
    assert.equal(fates[1], 'dice.html: Imported as ada/dice');
    assert.match(fates[2] ?? '', /^data\.csv: Skipped because it is neither Markdown/);
    assert.match(fates[3] ?? '', /^bad\.md: Failed because it is UTF-16/);
    assert.equal(fates.length, 4);
    assert.match(answer.text, /2 imported, 0 uploaded, 1 skipped, 1 failed/);
    for (const path of ['/read/ada/plan-a', '/read/ada/pages/dice']) {
      assert.ok(answer.text.includes(`href="${path}"`), path);
      assert.equal((await ada.visitor.get(path)).status, 200, path);
      assert.equal((await grace.visitor.get(path)).status, 404, path);
    }
    const { data } = await ada.client.get('/briefs/ada/plan-a');
    assert.deepEqual([data.content, data.visibility], ['# Plan\n', 'private']);
  });

  it('unpacks an archive, next to other files', async () => {
    const archive = await zip({ 'notes/one.md': '# One', 'two.markdown': '# Two', 'x/': '' });
    const answer = await send(
      grace,
      { owner: 'grace', visibility: 'public', ifTaken: 'skip' },
      ['all.zip', archive],
      ['broken.zip', 'PK no archive'],
      ['three.md', '# Three'],
    );
    const fates = fatesOn(answer);
    assert.deepEqual(
      [fates[0], fates[1], fates[3]],
      [
        'all.zip/notes/one.md: Imported as grace/one',
        'all.zip/two.markdown: Imported as grace/two',
        'three.md: Imported as grace/three',
      ],
    );
    assert.match(fates[2] ?? '', /^broken\.zip: Failed because it is damaged/);
    const read = await newVisitor(service).get('/grace/two', { accept: 'text/markdown' });
    assert.equal(read.text, '# Two', 'public');
  });

  it('skips or numbers taken names', async () => {
    const file = ['same.md', '# Same'] as const;
    const choice = { owner: 'ada', visibility: 'private', ifTaken: 'number' };
    const first = await send(ada, choice, file, file);
    assert.deepEqual(fatesOn(first), [
      'same.md: Imported as ada/same',
      'same.md: Imported as ada/same-2',
    ]);
    assert.match(first.text, /value="number" checked/, 'what was chosen stays');
    const second = await send(ada, { ...choice, ifTaken: 'skip' }, file);
    assert.deepEqual(fatesOn(second), ['same.md: Skipped because it already exists, as "same"']);
  });

  it('into an organization where you can create documents', async () => {
    const choice = { owner: 'engines', visibility: 'internal', ifTaken: 'skip' };
    assert.match((await grace.visitor.get('/import')).text, /<option value="engines"/);
    const answer = await send(grace, choice, ['rota.md', '# Rota']);
    assert.deepEqual(fatesOn(answer), ['rota.md: Imported as engines/rota']);
    assert.equal((await ada.client.get('/briefs/engines/rota')).data.visibility, 'internal');

    await ada.client.patch('/orgs/engines', { membersCanCreate: false });
    assert.doesNotMatch((await grace.visitor.get('/import')).text, /<option value="engines"/);
    assert.match((await ada.visitor.get('/import')).text, /<option value="engines"/, 'an admin');
    const refused = await send(grace, choice, ['more.md', '# More']);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /Only admins of this organization/);
    assert.equal((await ada.client.get('/briefs/engines/more')).status, 404);
    await ada.client.patch('/orgs/engines', { membersCanCreate: true });
  });

  it('refuses other organizations, and impossible visibilities', async () => {
    const eve = await makePerson(service, 'eve');
    const cases: [Person, Record<string, string>, RegExp][] = [
      [eve, { owner: 'engines' }, /role="alert">Only members/],
      [eve, { owner: 'nobody-at-all' }, /role="alert">No user/],
      [eve, { owner: 'ada' }, /role="alert">Only ada can create/],
      [eve, { owner: 'eve', visibility: 'internal' }, /id="visibility-fault"/],
    ];
    for (const [person, choice, says] of cases) {
      const large = 'x'.repeat(500_000);
      const { status, text } = await send(person, choice, ['a.md', large], ['b.md', large]);
      assert.equal(status, 422, JSON.stringify(choice));
      assert.match(text, says);
    }
    assert.deepEqual((await eve.client.get('/user/briefs')).data, []);
    assert.deepEqual((await ada.client.get('/briefs/ada/a')).status, 404);
  });

  it('uses the form’s defaults: yourself, private, skip taken names', async () => {
    const lin = await makePerson(service, 'lin');
    const answer = await send(lin, { visibility: 'whatever', ifTaken: 'x' }, ['a.md', '# A']);
    assert.deepEqual(fatesOn(answer), ['a.md: Imported as lin/a']);
    assert.equal((await lin.client.get('/briefs/lin/a')).data.visibility, 'private');
  });

  it('reports a missing file', async () => {
    for (const files of [[], [['', '']]] as Sent[][]) {
      const { status, text } = await send(ada, { owner: 'ada' }, ...files);
      assert.equal(status, 422);
      assert.match(text, /id="files-fault">Choose a file first/);
    }
    assert.equal((await ada.visitor.post('/import', { owner: 'ada' })).status, 422);
  });

  it('accepts as many files as an archive can have, and lists skipped ones', async () => {
    const most = 1_000;
    const many = (count: number): Sent[] =>
      Array.from({ length: count }, (_, index) => [`${index + 1}.txt`, '']);
    const all = await send(ada, { owner: 'ada' }, ...many(most));
    assert.equal(all.status, 200);
    assert.equal(fatesOn(all).length, most);
    for (const count of [most + 1, most + 500]) {
      const answer = await send(ada, { owner: 'ada' }, ...many(count));
      assert.equal(answer.status, 422);
      assert.match(answer.text, /id="files-fault">At most 1,000 at once\. Files from “1001\.txt”/);
      assert.equal(fatesOn(answer).length, most);
    }
  });

  it('reports a malformed form', async () => {
    const whole = new Response(formOf({ owner: 'ada' }, [['cut.txt', 'x']]));
    const type = whole.headers.get('content-type') ?? '';
    const cut = new Blob([(await whole.text()).slice(0, -60)]);
    const answer = await ada.visitor.post('/import', cut, { 'content-type': type });
    assert.equal(answer.status, 422);
    assert.match(answer.text, /role="alert">Is not well-formed/);
  });

  it('needs a sign-in', async () => {
    const visitor = newVisitor(service);
    const { headers } = await visitor.get('/import');
    assert.equal(headers.get('location'), '/sign-in?next=%2Fimport');
    const from = { referer: `${service.webUrl}/import` };
    const answer = await visitor.post('/import', formOf({ owner: 'ada' }, [['z.md', 'z']]), from);
    assert.equal(answer.headers.get('location'), '/sign-in?next=%2Fimport');
    assert.equal((await ada.client.get('/briefs/ada/z')).status, 404);
  });

  it('hostile names are shown as text', async () => {
    const answer = await send(ada, { owner: 'ada' }, ['<img src=x onerror=alert(1)>.txt', 'x']);
    assert.match(answer.text, /&lt;img src=x onerror=alert\(1\)>\.txt/);
    assert.doesNotMatch(answer.text, /<img src=x/);
  });
});
