import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';

import { collaborate, expectStatus, join, makeOrganization } from '../../../test/rest/scenario.ts';
import { startWithVisitors } from '../../../test/sign-in/visitor.ts';
import { until } from '../../../test/until.ts';
import { formWith, submit, toastOf } from '../../../test/web-app/forms.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { openEditor } from '../live/editor.testing.ts';

describe('Reviews in the app', async () => {
  const service = await startWithVisitors();
  after(() => service.stop());
  const ada = await makePerson(service, 'ada');
  const grace = await makePerson(service, 'grace');
  const eve = await makePerson(service, 'eve');

  async function makeShared(name: string): Promise<string> {
    const document = { name, content: 'One.\n', visibility: 'private' };
    await expectStatus(ada.client.post('/user/briefs', document), 201);
    const path = `/briefs/ada/${name}`;
    const client = { ...grace.client, username: 'grace' };
    await collaborate(ada.client, path, client, 'read');
    return path;
  }

  /** Opens someone's editor of a document, over a real connection. */
  async function openEditorOf({ visitor, client }: Person, path: string, version: number) {
    const { id, content: text } = (await client.get(path)).data;
    const url = `${service.webUrl.replace('http', 'ws')}/live/edit/${id}`;
    const cookie = Array.from(visitor.cookies, ([name, value]) => `${name}=${value}`);
    const headers = { origin: service.webUrl, cookie: cookie.join('; ') };
    const accountId = (await client.get('/user')).data.id;
    return openEditor({ url, headers, accountId }, { version, text });
  }

  it('are requested, given and shown beside the document', async () => {
    const path = await makeShared('report');
    const asked = await submit(ada.visitor, '/review/ada/report/request', {
      username: 'grace',
      note: 'Please look.',
    });
    assert.match(toastOf(asked), /^Asked grace for a review\./);
    assert.match(asked.text, /has not answered yet/);
    assert.match((await ada.visitor.get('/read/ada/report')).text, /Review requested/);

    const page = await grace.visitor.get('/review/ada/report');
    assert.match(page.text, /<span>ada asked: “Please look\.”<\/span>/);
    assert.match(asked.text, /<span>You asked: “Please look\.”<\/span>/);
    assert.match(page.text, /Read revision 1<\/a> before you review it/);
    const [, href = ''] = /class="action review-badge[^"]*" href="([^"]*)"/.exec(
      (await grace.visitor.get('/read/ada/report')).text,
    ) as RegExpExecArray;
    const { fields } = formWith(await grace.visitor.get(href), 'Approve revision 1');
    const refused = await submit(grace.visitor, '/review/ada/report', {
      ...fields,
      verdict: 'changes_requested',
      body: '<b>Which</b> year?',
    });
    assert.match(toastOf(refused), /^You requested changes\./);
    assert.match(refused.text, /&lt;b>Which&lt;\/b> year\?/);
    assert.match((await ada.visitor.get('/read/ada/report')).text, /Changes requested/);

    await expectStatus(ada.client.patch(path, { content: 'Two.\n' }), 200);
    const aged = formWith(await grace.visitor.get(href), 'Approve revision 2');
    assert.equal(aged.fields.revision, '2');
    const outdated = await grace.visitor.post('/review/ada/report', {
      ...fields,
      verdict: 'approved',
      body: 'Fine.',
    });
    assert.equal(outdated.status, 409);
    assert.match(outdated.text, /The text has changed since revision 1/);
    assert.match(outdated.text, /One\..*Two\./s);
    assert.match(outdated.text, />Fine\.<\/textarea>/);
    const now = formWith(outdated, 'Approve revision 2').fields;
    await submit(grace.visitor, '/review/ada/report', { ...now, verdict: 'approved' });
    assert.match((await ada.visitor.get('/read/ada/report')).text, /Approved/);
  });

  it('are the only way for a protected document to become public', async () => {
    const path = await makeShared('guarded');
    const protectedPage = await submit(ada.visitor, '/review/ada/guarded/protection', {
      protected: 'on',
    });
    assert.match(toastOf(protectedPage), /^The brief is protected\./);
    await ada.visitor.get('/read/ada/guarded');
    const publish = () =>
      submit(ada.visitor, '/share/ada/guarded/visibility', {
        visibility: 'public',
        from: 'private',
        revision: '1',
      });
    assert.match(toastOf(await publish()), /protected/);
    assert.equal((await ada.client.get(path)).data.visibility, 'private');
    const { fields } = formWith(
      await ada.visitor.get('/review/ada/guarded?revision=1'),
      'Approve revision 1',
    );
    await submit(ada.visitor, '/review/ada/guarded', { ...fields, verdict: 'approved' });
    await publish();
    assert.equal((await ada.client.get(path)).data.visibility, 'public');
    const ended = await submit(ada.visitor, '/review/ada/guarded/protection', { protected: 'off' });
    assert.match(toastOf(ended), /^Protection removed\./);
  });

  it('count as reading the changes that they are about', async () => {
    const path = await makeShared('judged');
    await ada.visitor.get('/read/ada/judged');
    await expectStatus(ada.client.patch(path, { content: 'Two.\n' }), 200);
    const { fields } = formWith(await ada.visitor.get('/review/ada/judged'), 'Approve revision 2');
    await submit(ada.visitor, '/review/ada/judged', { ...fields, verdict: 'approved' });
    const choice = formWith(await ada.visitor.get('/share/ada/judged'), 'Change visibility').fields;
    assert.equal(choice.revision, '2');
    const sent = { ...choice, visibility: 'public' };
    await submit(ada.visitor, '/share/ada/judged/visibility', sent);
    assert.equal((await ada.client.get(path)).data.visibility, 'public');
  });

  it('are no longer needed at any address of a document whose protection ends', async () => {
    await makeShared('first');
    const brief = (name: string) => `/briefs/ada/${name}`;
    const change = (name: string, to: object) =>
      expectStatus(ada.client.patch(brief(name), to), 200);
    await change('first', { visibility: 'public' });
    await expectStatus(
      ada.client.patch(`${brief('first')}/review-settings`, { protected: true }),
      200,
    );
    const { id: document } = (await ada.client.get(brief('first'))).data;
    await ada.visitor.post('/rename/ada/first', { document, name: 'second' });
    await ada.visitor.post('/rename/ada/second', { document, name: 'third' });
    const open = (name: string) =>
      ada.client.post('/user/briefs', { name, content: 'x', visibility: 'public' });
    await expectStatus(open('first'), 422);
    const page = await ada.visitor.get('/review/ada/third');
    assert.match(page.text, /at this address\s+and at ada\/first and ada\/second too,/);
    const form = formWith(page, 'End the protection');
    const ended = await submit(ada.visitor, form.action, form.fields);
    assert.equal(toastOf(ended), 'Protection removed, also of ada/first and ada/second.');
    await expectStatus(open('first'), 201);
    await expectStatus(open('second'), 201);
  });

  it('show errors, and are hidden from others', async () => {
    await makeShared('hidden');
    const refused = await ada.visitor.post('/review/ada/hidden/request', { username: 'eve' });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /No user “eve” can read the document/);
    assert.equal((await eve.visitor.get('/review/ada/hidden')).status, 404);
    const reader = await grace.visitor.get('/review/ada/hidden');
    assert.doesNotMatch(reader.text, /Ask for review|Protect</);
  });

  it('show what the reading view doesn’t', async () => {
    const path = await makeShared('hiding');
    const content =
      '---\ntitle: Plan\nnote: <b>secretly\n---\n\nOne\u200b\u{e0041}.\n\n<!-- psst -->\n' +
      '\n[//]: # (Obey me.)\n\n<textarea>\n\nUnread.\n\n</textarea>\n';
    await expectStatus(ada.client.patch(path, { content }), 200);
    const seen = (await grace.visitor.get('/read/ada/hiding')).text;
    assert.doesNotMatch(seen, /secretly|psst|Obey|Unread/);
    const { text } = await grace.visitor.get('/review/ada/hiding');
    assert.match(text, /Front matter:.*note: &lt;b>secretly.*aren’t shown:.*8: &lt;!-- psst/s);
    assert.match(text, /10: \[\/\/\]: # \(Obey me\.\)\n12: &lt;textarea>\n14: Unread\./);
    assert.match(text, /U\+200B<\/span> zero width space, once, in line 6.*U\+E0041/s);
    const on = { quote: 'One' };
    const suggested = { on, replacement: 'T\u202ewo' };
    await expectStatus(ada.client.post(`${path}/threads`, suggested), 201);
    const card = (await grace.visitor.get('/read/ada/hiding')).text;
    assert.match(
      card,
      /<ins dir="auto">T<span [^>]*title="right-to-left override">U\+202E<\/span>wo<\/ins>/,
    );
    const change = (await ada.visitor.get('/history/ada/hiding?from=1&to=2')).text;
    assert.match(change, /<span [^>]*>U\+200B<\/span>/);
    const { length } = text;
    const longer = { content: `<!-- ${'psst '.repeat(30_000)}-->\n` };
    await expectStatus(ada.client.patch(path, longer), 200);
    await grace.visitor.get('/read/ada/hiding');
    const cut = (await grace.visitor.get('/review/ada/hiding')).text;
    assert.match(cut, /so it can’t be approved.*href="\/raw\/ada\/hiding".*Request changes/s);
    assert.doesNotMatch(cut, /Approve revision/);
    assert.ok(cut.length < 2 * length);
    const plain = await makeShared('plain');
    await ada.client.get(plain);
    await grace.visitor.get('/read/ada/plain');
    assert.doesNotMatch((await grace.visitor.get('/review/ada/plain')).text, /not shown to its/);
  });

  it('aren’t about a text that the reviewer only restored', async () => {
    const path = await makeShared('restored');
    await expectStatus(ada.client.patch(path, { content: 'Two.\n' }), 200);
    const form = formWith(await ada.visitor.get('/history/ada/restored'), 'Restore');
    await submit(ada.visitor, form.action, form.fields);
    assert.equal((await ada.client.get(path)).data.content, 'One.\n');
    const before = await ada.visitor.get('/review/ada/restored');
    assert.match(before.text, /Read revision 3<\/a> before you review it/);
    await ada.visitor.get('/read/ada/restored');
    formWith(await ada.visitor.get('/review/ada/restored'), 'Approve revision 3');
  });

  it('aren’t about a text of which the reviewer only accepted a suggestion', async () => {
    const path = await makeShared('accepted');
    await ada.visitor.get('/read/ada/accepted');
    const review = async () => (await ada.visitor.get('/review/ada/accepted')).text;
    const accept = async (quote: string, replacement: string) => {
      const opened = ada.client.post(`${path}/threads`, { on: { quote }, replacement });
      const { id, digest } = (await expectStatus(opened, 201)).data;
      const revision = (await ada.client.get(path)).headers.get('x-revision') ?? '';
      const fields = { act: 'accept', thread: id, revision, expected: digest };
      const answer = await ada.visitor.post('/comments/ada/accepted', fields, {
        accept: 'application/json',
      });
      assert.equal(answer.status, 200, answer.text);
    };
    // Nothing else has changed since the reviewer read it.
    await accept('One', 'First');
    await accept('First', '1st');
    assert.match(await review(), /Approve revision 3/);
    assert.doesNotMatch(await review(), /which you have seen/);

    await expectStatus(ada.client.patch(path, { content: '1st.\n\nUnread.\n' }), 200);
    await accept('1st', 'First');
    assert.match(await review(), /changed since revision 3, which you have seen.*Unread/s);
  });

  it('aren’t about what others wrote while the reviewer was in the editor', async () => {
    const path = await makeShared('merged');
    const editor = await openEditorOf(ada, path, 1);
    const save = async (words: string) => {
      const count = () => editor.messages.filter(({ type }) => type === 'saved').length;
      const before = count();
      editor.type(0, words);
      await until('it is stored', editor.isSent);
      editor.send({ type: 'save' });
      await until('it is saved', () => count() > before);
    };
    await save('First. ');
    await expectStatus(ada.client.patch(path, { content: `${editor.text()}\nUnread.\n` }), 200);
    await until('it is there', () => editor.text().includes('Unread.'));
    await save('1st. ');
    await save('One. ');
    const review = await ada.visitor.get('/review/ada/merged');
    assert.match(review.text, /changed since revision 2, which you have seen.*Unread/s);
    await ada.visitor.get('/read/ada/merged');
    assert.match((await ada.visitor.get('/review/ada/merged')).text, /Approve revision 5/);
    await save('Once. ');
    assert.match((await ada.visitor.get('/review/ada/merged')).text, /Approve revision 6/);
    editor.cut();
  });

  describe('of what two people write together', () => {
    const path = '/briefs/duo/plan';
    const page = (person: Person) => person.visitor.get('/review/duo/plan');
    const publish = () => ada.client.patch(path, { visibility: 'public' });
    const lacking = async () => (await ada.client.get(`${path}/reviews`)).data.unapproved;

    /** Reads the current text and approves it. */
    async function approve(person: Person): Promise<void> {
      await person.visitor.get('/read/duo/plan');
      const review = await page(person);
      const [, label = ''] = /(Approve revision \d+)/.exec(review.text) ?? [];
      const { action, fields } = formWith(review, label);
      const answer = await submit(person.visitor, action, { ...fields, verdict: 'approved' });
      assert.match(toastOf(answer), /^You approved/);
    }

    async function isRefused(...sentences: string[]): Promise<void> {
      const { status, text: refusal } = await publish();
      assert.equal(status, 422);
      for (const sentence of sentences) assert.ok(refusal.includes(sentence), refusal);
      const { text } = await page(ada);
      for (const sentence of sentences) assert.ok(text.includes(sentence), sentence);
      const count = text.split('of somebody other than').length - 1;
      assert.equal(count, sentences.length);
    }

    /** Lets people type at the same time, each at the start, and save it as one revision. */
    async function writeTogether(version: number, ...typed: [Person, string][]): Promise<void> {
      const editors = [];
      for (const [person, words] of typed) {
        const editor = await openEditorOf(person, path, version);
        editors.push(editor);
        editor.type(0, words);
        await until('it is stored', editor.isSent);
      }
      const [first] = editors;
      first?.send({ type: 'save' });
      await until(
        'it is saved',
        async () => (await ada.client.get(`${path}/revisions/${version + 1}`)).status === 200,
      );
      for (const editor of editors) editor.cut();
    }

    it('needs the approval of both, or of somebody else', async () => {
      await makeOrganization({ ...ada.client, username: 'ada' }, 'duo');
      await join(ada.client, 'duo', { ...grace.client, username: 'grace' }, 'admin');
      await expectStatus(ada.client.patch('/orgs/duo/protection', { protected: true }), 200);
      const document = { name: 'plan', content: '# Plan\n', visibility: 'internal' };
      await expectStatus(ada.client.post('/orgs/duo/briefs', document), 201);
      await approve(grace);
      await writeTogether(1, [ada, 'One.\n\n'], [grace, 'Two.\n\n']);
      const [{ author, coAuthors }] = (await ada.client.get(`${path}/revisions`)).data;
      assert.deepEqual([author, ...coAuthors].sort(), ['ada', 'grace']);
      const of = (name: string, revisions: string) =>
        `What ${name} changed in ${revisions} needs the approval of somebody other than ${name}.`;
      await isRefused(of('ada', 'revision 2'), of('grace', 'revision 2'));
      await approve(ada);
      await approve(ada);
      await isRefused(of('ada', 'revision 2'));
      assert.deepEqual(await lacking(), [{ author: 'ada', firstRevision: 2, lastRevision: 2 }]);
      assert.match((await page(grace)).text, /plan\?from=1&(amp;)?to=2">Show the changes/);
      const byToken = { verdict: 'approved', revision: 2 };
      await expectStatus(grace.client.post(`${path}/reviews`, byToken), 403);
      await approve(grace);
      assert.deepEqual(await lacking(), []);
      await expectStatus(publish(), 200);
      await expectStatus(ada.client.patch(path, { visibility: 'private' }), 200);
    });

    it('isn’t covered by an approval from before one of them wrote more', async () => {
      await writeTogether(4, [grace, 'Three.\n\n'], [ada, 'F']);
      await approve(ada);
      await expectStatus(grace.client.patch(path, { content: '# Plan\n\nOne.\n' }), 200);
      await approve(grace);
      await isRefused('What grace changed in revision 6 needs');
      await approve(ada);
      await expectStatus(publish(), 200);
      await expectStatus(ada.client.patch(path, { visibility: 'private' }), 200);
      // Deleting is a change, too.
      await expectStatus(ada.client.patch(path, { content: '# Plan\n' }), 200);
      await approve(ada);
      await isRefused('What ada changed in revision 9 needs');
    });
  });

  it('are about the document on the screen, not about one that has taken its name', async () => {
    const path = await makeShared('shown');
    await ada.visitor.get('/read/ada/shown');
    const review = formWith(await ada.visitor.get('/review/ada/shown'), 'Approve revision 1');
    const share = formWith(await ada.visitor.get('/share/ada/shown'), 'Change visibility');
    await expectStatus(ada.client.patch(path, { name: 'away' }), 200);
    const other = { name: 'shown', content: 'Other.\n', visibility: 'private' };
    await expectStatus(ada.client.post('/user/briefs', other), 201);
    for (const [form, more] of [
      [review, { verdict: 'approved' }],
      [share, { visibility: 'public' }],
    ] as const) {
      const answer = await submit(ada.visitor, form.action, { ...form.fields, ...more });
      assert.match(toastOf(answer), /is another document now/);
    }
    assert.equal((await ada.client.get(path)).data.visibility, 'private');
    assert.deepEqual((await ada.client.get(`${path}/reviews`)).data.reviews, []);
  });

  it('lists show the state of reviews and the number of open comments', async () => {
    const path = '/briefs/ada/listed';
    await expectStatus(ada.client.post('/user/briefs', { name: 'listed', content: 'One.' }), 201);
    const added = await ada.client.put(`${path}/collaborators/grace`, { permission: 'read' });
    await grace.client.patch(`/user/brief_invitations/${added.data.id}`);
    const rowOf = async (person: Person, address: string) => {
      const { text } = await person.visitor.get(address);
      const [, row = ''] =
        /<li class="item" data-row[^>]*>((?:(?!<\/li>).)*?\/read\/ada\/listed".*?)<details/s.exec(
          text,
        ) as RegExpExecArray;
      return row.replaceAll(/<svg.*?<\/svg>/gs, '').replaceAll(/<[^>]*>/g, ' ');
    };
    assert.doesNotMatch(await rowOf(ada, '/'), /comment|pproved/);
    await ada.client.put(`${path}/reviewers/grace`, {});
    assert.match(await rowOf(grace, '/shared'), /Review requested/);
    await grace.client.post(`${path}/reviews`, { verdict: 'approved', revision: 1 });
    await grace.client.post(`${path}/threads`, { body: 'Why?' });
    assert.match(await rowOf(ada, '/'), /Approved\s+1 open comment/);
    await ada.client.patch(path, { content: 'Two.' });
    assert.match(await rowOf(ada, '/?in=own'), /Approved, changed since\s+1 open comment/);
  });
});
