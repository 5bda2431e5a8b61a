import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { type Answer, startService } from '../../../test/harness.ts';
import { newVisitor } from '../../../test/sign-in/visitor.ts';
import { formsOf, formWith, submit, toastOf, undo } from '../../../test/web-app/forms.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { REVIEW_LIMITS } from '../../core/review/thread.ts';

const TEXT = '# Report\n\nThe **station** was quiet.\n\nNobody came.\n\nNobody came again.\n';

describe('Comments on a brief, by forms', async () => {
  const service = await startService();
  after(() => service.stop());
  const ada = await makePerson(service, 'ada');
  const grace = await makePerson(service, 'grace');
  const alan = await makePerson(service, 'alan');

  /** Creates a brief that grace can read as a collaborator. */
  async function make(name: string, visibility = 'private'): Promise<string> {
    const body = { name, content: TEXT, visibility };
    assert.equal((await ada.client.post('/user/briefs', body)).status, 201);
    const invited = `/briefs/ada/${name}/collaborators/grace`;
    const { data } = await ada.client.put(invited, { permission: 'read' });
    await grace.client.patch(`/user/brief_invitations/${data.id}`);
    return `/read/ada/${name}`;
  }

  const open = (who: Person, path: string, fields: Record<string, string>) =>
    submit(who.visitor, path, { act: 'open', ...fields });

  /** The cards of a page, in order: the thread's id and its markup. */
  const cardsOf = ({ text }: Answer) =>
    Array.from(
      text.matchAll(/<article class="thread([^>]*)>(.*?)<\/article>/gs),
      ([, tag, inner]) => ({
        id: /id="thread-([^"]+)"/.exec(tag as string)?.[1] as string,
        name: /aria-label="([^"]*)"/.exec(tag as string)?.[1],
        place: /data-line="(\d+)" data-start="(\d+)" data-quote="([^"]*)"/
          .exec(tag as string)
          ?.slice(1),
        isClosed: (tag as string).startsWith(' closed'),
        html: inner as string,
        buttons: [
          // Excludes the reader's own comments.
          ...formsOf({ text: inner as string } as Answer)
            .filter(({ fields }) => !('comment' in fields))
            .flatMap(({ buttons }) => buttons),
          ...(/<button[^>]* form="[^>]*>Reply</.test(inner as string) ? ['Reply'] : []),
        ],
      }),
    );

  it('a comment on the whole brief, and one on a passage', async () => {
    const path = await make('two');
    await open(grace, path, { body: 'Well *done*.' });
    await open(grace, path, { quote: 'The station was', body: 'Which?\r\n\r\nThis one?' });
    const [whole, passage] = cardsOf(await ada.visitor.get(path));
    assert.equal(whole?.name, 'Comment by grace on the whole brief');
    assert.match(whole?.html ?? '', /<p>Well <em>done<\/em>\.<\/p>/);
    assert.equal(passage?.name, 'Comment by grace on “The **station** was”');
    assert.deepEqual(passage?.place, ['3', '0', 'The station was']);
    assert.match(passage?.html ?? '', /<p>Which\?<\/p>\n<p>This one\?<\/p>/);
    const { data } = await ada.client.get('/briefs/ada/two/threads');
    const [{ via, comments }] = data;
    assert.deepEqual([via, comments[0].body], ['web', 'Which?\n\nThis one?']);
  });

  it('a refused form is shown again with the reason', async () => {
    const path = await make('refused');
    const refused = async (fields: Record<string, string>) => {
      const page = await grace.visitor.post(path, { act: 'open', ...fields });
      assert.equal(page.status, 422, page.text);
      return page.text;
    };
    const twice = await refused({ quote: 'Nobody came', body: 'Who & why?' });
    assert.match(twice, /id="comment-quote-fault">[^<]*2 times/);
    assert.match(twice, /<textarea id="comment-body"[^>]*>Who &amp; why\?<\/textarea>/);
    assert.match(await refused({ body: ' ' }), /id="comment-body-fault">[^<]+empty/);
    const nowhere = await refused({ body: 'x', replacement: 'y' });
    assert.match(nowhere, /class="form-fault"[^>]*>[^<]*passage/);
    assert.deepEqual(cardsOf(await ada.visitor.get(path)), []);
  });

  it('a quote is found by its surroundings and its line', async () => {
    const path = await make('apart');
    await open(grace, path, { quote: 'Nobody came', suffix: ' again.', body: 'One' });
    await open(grace, path, { quote: 'Nobody came', line: '5', body: 'Two' });
    const places = cardsOf(await ada.visitor.get(path)).map(({ place }) => place?.[0]);
    assert.deepEqual(places, ['5', '7']);
  });

  it('a thread is answered, resolved and reopened', async () => {
    const path = await make('answered');
    await open(grace, path, { quote: 'quiet', body: 'Why?' });
    const [{ id: thread } = { id: '' }] = cardsOf(await ada.visitor.get(path));
    const replied = await ada.visitor.post(path, { act: 'reply', thread, body: 'Fog.' });
    assert.equal(replied.headers.get('location'), `${path}#thread-${thread}`);
    const resolved = await submit(ada.visitor, path, { act: 'resolve', thread });
    assert.equal(toastOf(resolved), 'Resolved.');
    const [closed] = cardsOf(resolved);
    assert.deepEqual([closed?.isClosed, closed?.place], [true, undefined]);
    assert.deepEqual(closed?.buttons, ['Reopen']);
    assert.match(closed?.html ?? '', /Why\?.*Fog\..*Resolved by ada/s);
    const [reopened] = cardsOf(await undo(ada.visitor, resolved));
    assert.deepEqual([reopened?.isClosed, reopened?.buttons], [false, ['Resolve', 'Reply']]);
  });

  it('a refused text in a card is shown again with the reason', async () => {
    const path = await make('kept');
    await open(grace, path, { quote: 'quiet', body: 'Why?' });
    const [{ id: thread } = { id: '' }] = cardsOf(await grace.visitor.get(path));
    const { data } = await grace.client.get(`/briefs/ada/kept/threads/${thread}`);
    const comment = data.comments[0].id as string;
    const tooLong = 'ö'.repeat(REVIEW_LIMITS.bodyBytes - 1);
    const shows = async (fields: Record<string, string>, button: string, fault: RegExp) => {
      const page = await grace.visitor.post(path, { thread, ...fields });
      assert.equal(page.status, 422, button);
      const form =
        /<textarea[^>]* autofocus[^>]*>(.*?)<\/textarea><p class="fault"[^>]*>(.*?)<\/p>/s;
      const [, text, reason] = form.exec(page.text) ?? [];
      assert.equal(text, fields.body ?? fields.quote);
      assert.match(reason ?? '', fault);
      assert.match(page.text, new RegExp(`</p><p[^>]*><button type="submit" [^>]*>${button}<`));
    };
    await shows({ act: 'reply', body: tooLong }, 'Reply', /bytes|KB/);
    await shows({ act: 'resolve', body: 'Fog.' }, 'Reply', /send your reply first/i);
    await shows({ act: 'edit', comment, body: tooLong }, 'Save', /bytes|KB/);
    const content = '# Report\n\nNothing.\n';
    await ada.client.patch('/briefs/ada/kept', { content });
    await shows({ act: 'place', quote: 'loud' }, 'Choose new passage', /./);
    const [card] = cardsOf(await grace.visitor.get(path));
    assert.match(card?.html ?? '', /Why\?/);
    assert.ok(!card?.isClosed);
  });

  it('a suggestion is accepted by an editor, and rejected', async () => {
    const path = await make('suggested');
    await open(grace, path, { quote: 'quiet', replacement: 'silent' });
    const fields = { act: 'open', quote: 'quiet', replacement: 'quiet' };
    const same = await grace.visitor.post(path, fields);
    assert.equal(same.status, 422);
    assert.match(same.text, /The passage and its replacement are the same\./);
    await open(grace, path, { quote: 'Nobody came again.', replacement: 'x', body: 'Shorter.' });
    const [first, second] = cardsOf(await ada.visitor.get(path));
    assert.match(first?.html ?? '', /<del dir="auto">quiet<\/del>.*<ins dir="auto">silent<\/ins>/s);
    assert.deepEqual(first?.buttons, ['Accept', 'Reject', 'Resolve', 'Reply']);
    const [hers] = cardsOf(await grace.visitor.get(path));
    assert.deepEqual(hers?.buttons, ['Reject', 'Resolve', 'Reply']);
    const refused = await submit(grace.visitor, path, {
      act: 'accept',
      thread: first?.id as string,
    });
    assert.match(toastOf(refused), /Only people who can edit/);
    /** Sends the form of a card, as the page has it. */
    const act = async (page: Answer, thread: string | undefined, act: string) => {
      const { action, fields } = formWith(page, 'Reject', { thread: thread as string });
      return ada.visitor.post(action, { ...fields, act });
    };
    const aged = await ada.visitor.get(path);
    assert.equal((await act(aged, first?.id, 'accept')).status, 303);
    const accepted = await ada.visitor.get(path);
    assert.match(accepted.text, /The <strong>station<\/strong> was silent\./);
    const changed = await act(aged, second?.id, 'reject');
    assert.equal(changed.status, 409);
    assert.match(changed.text, /The text has changed since you read it/);
    assert.match(
      changed.text,
      /<del dir="auto">Nobody came again\.<\/del>.*<ins dir="auto">x<\/ins>/s,
    );
    assert.equal((await act(changed, second?.id, 'reject')).status, 303);
    const states = cardsOf(await ada.visitor.get(path)).map(
      ({ html }) => /(Accepted|Rejected) by/.exec(html)?.[1],
    );
    assert.deepEqual(states, ['Rejected', 'Accepted']);
  });

  it('a suggestion shows which words change', async () => {
    const path = await make('words');
    const quote = 'Nobody came again.';
    await open(grace, path, { quote, replacement: 'Nobody ever came again, sadly.' });
    const [card] = cardsOf(await ada.visitor.get(path));
    const said = /<div class="suggestion[^>]*>(.*?)<\/div>/s.exec(card?.html ?? '')?.[1];
    assert.equal(
      said?.replaceAll(/<\/?(?:p|span)[^>]*>/g, ''),
      'Nobody <ins>ever </ins>came again<del>.</del><ins>, sadly.</ins>',
    );
  });

  it('a suggestion that was moved since is not accepted where it is now', async () => {
    const path = await make('moved-since');
    await open(grace, path, { quote: 'quiet', replacement: 'silent' });
    const aged = await ada.visitor.get(path);
    const [{ id }] = (await ada.client.get('/briefs/ada/moved-since/threads')).data;
    const move = { on: { quote: 'Nobody came again' } };
    assert.equal(
      (await grace.client.patch(`/briefs/ada/moved-since/threads/${id}`, move)).status,
      200,
    );
    const { action, fields } = formWith(aged, 'Reject', { thread: id });
    const changed = await ada.visitor.post(action, { ...fields, act: 'accept' });
    assert.equal(changed.status, 409);
    assert.match(changed.text, /This suggestion has changed since you read it/);
    assert.match(changed.text, /<del dir="auto">Nobody came again<\/del>/);
    assert.match((await ada.client.get('/briefs/ada/moved-since')).data.content, /quiet/);
    const again = formWith(changed, 'Accept');
    assert.equal((await ada.visitor.post(again.action, again.fields)).status, 303);
    assert.match(
      (await ada.client.get('/briefs/ada/moved-since')).data.content,
      /was quiet\..*\nsilent\./s,
    );
  });

  it('a long suggestion is accepted where it is shown whole', async () => {
    const path = await make('long-suggestion');
    const replacement = `silent ${'word '.repeat(600)}HIDDEN`;
    await open(grace, path, { quote: 'quiet', replacement });
    const [card] = cardsOf(await ada.visitor.get(path));
    assert.deepEqual(card?.buttons, ['Reject', 'Resolve', 'Reply']);
    const [, href = ''] =
      /<a href="([^"]*)">Show the whole suggestion/.exec(card?.html ?? '') ?? [];
    const whole = await ada.visitor.get(href);
    assert.match(whole.text, /HIDDEN/);
    const { action, fields } = formWith(whole, 'Accept');
    assert.equal((await ada.visitor.post(action, fields)).status, 303);
    assert.match((await ada.client.get('/briefs/ada/long-suggestion')).data.content, /HIDDEN/);
  });

  it('a comment on a deleted passage shows the old text', async () => {
    const path = await make('gone');
    await open(grace, path, { quote: 'Nobody came again.', body: 'Sad.' });
    const content = '# Report\n\nThe **station** was quiet.\n';
    await ada.client.patch('/briefs/ada/gone', { content });
    const [card] = cardsOf(await ada.visitor.get(path));
    assert.deepEqual(card?.place, undefined);
    assert.match(card?.html ?? '', /Gone<\/p><blockquote[^>]*>Nobody came again\.<\/blockquote>/);
  });

  it('a comment on a deleted passage is placed again, and says what changed', async () => {
    const path = await make('again');
    await open(grace, path, { quote: 'Nobody came again.', body: 'Sad.' });
    await ada.client.patch('/briefs/ada/again', { content: '# Report\n\nIt was quiet.\n' });
    const [card] = cardsOf(await ada.visitor.get(path));
    assert.match(card?.html ?? '', /href="[^"]*from=1[^"]*">What has changed since/);
    const thread = card?.id as string;
    const refused = await ada.visitor.post(path, { act: 'place', thread, quote: 'loud' });
    assert.match(refused.text, /<p class="fault"[^>]*>[^<]*not in revision 2/);
    const placed = await submit(ada.visitor, path, { act: 'place', thread, quote: 'quiet' });
    assert.equal(toastOf(placed), 'Moved to the new passage.');
    const [again] = cardsOf(placed);
    assert.deepEqual(again?.place, ['3', '5', 'quiet']);
    assert.doesNotMatch(again?.html ?? '', /Choose new passage/);
  });

  it('people change and delete only their own comments', async () => {
    const path = await make('own');
    await open(grace, path, { quote: 'quiet', body: 'Wy?' });
    const [hers] = cardsOf(await grace.visitor.get(path));
    const thread = hers?.id as string;
    const comment = /name="comment" value="([^"]+)"/.exec(hers?.html ?? '')?.[1] as string;
    const [his] = cardsOf(await ada.visitor.get(path));
    assert.deepEqual(his?.buttons, ['Resolve', 'Reply']);
    const theirs = await submit(ada.visitor, path, { act: 'edit', thread, comment, body: 'x' });
    assert.match(toastOf(theirs), /only change your own/);
    const edited = await submit(grace.visitor, path, {
      act: 'edit',
      thread,
      comment,
      body: 'Why?',
    });
    assert.match(cardsOf(edited)[0]?.html ?? '', /<p>Why\?<\/p>/);
    const deleted = await submit(grace.visitor, path, { act: 'delete', thread, comment });
    assert.equal(toastOf(deleted), 'Comment deleted.');
    assert.deepEqual(cardsOf(deleted), []);
  });

  it('many long comments are cut', async () => {
    const path = await make('long');
    await open(grace, path, { quote: 'quiet', replacement: 'x'.repeat(90_000) });
    const { data } = await ada.client.get('/briefs/ada/long/threads');
    assert.equal(data[0].replacement.length, 90_000);
    const body = 'word '.repeat(2_000);
    for (let n = 0; n < 51; n++) {
      const answer = await ada.client.post(`/briefs/ada/long/threads/${data[0].id}/comments`, {
        body: `${n}. ${body}`,
      });
      assert.equal(answer.status, 201, answer.text);
    }
    const { text } = await ada.visitor.get(path);
    assert.ok(text.length < 800_000, `${text.length} characters`);
    assert.match(text, /older ones aren’t shown/);
    assert.match(text, /<li>\s*word/);
    assert.match(text, /<ins dir="auto">x{2000}…<\/ins>/);
  });

  it('only people who can see comments see them', async () => {
    const path = await make('seen', 'public');
    await open(grace, path, { body: 'Between us.' });
    const panel = /id="comments"/;
    const nobody = newVisitor(service);
    for (const page of [await alan.visitor.get(path), await nobody.get('/ada/seen')]) {
      assert.equal(page.status, 200);
      assert.doesNotMatch(page.text, panel);
      assert.doesNotMatch(page.text, /Between us|data-line/);
    }
    assert.equal((await alan.visitor.post(path, { act: 'open', body: 'Hi' })).status, 403);
    await ada.client.patch('/briefs/ada/seen/review-settings', { comments: 'readers' });
    await open(alan, path, { body: 'Hello.' });
    const shown = await alan.visitor.get(path);
    // What was said between insiders stays there.
    assert.doesNotMatch(shown.text, /Between us/);
    assert.deepEqual(
      cardsOf(shown).map(({ buttons }) => buttons),
      [['Resolve', 'Reply']],
    );
    await ada.client.patch('/briefs/ada/seen/review-settings', { comments: 'off' });
    const { text } = await ada.visitor.get(path);
    assert.match(text, /Between us/);
    assert.doesNotMatch(text, /name="body"/);
  });

  it('mentions are links to profiles of users; suggestions are for those who can comment', async () => {
    const path = await make('mentions', 'public');
    await open(ada, path, { body: 'Is that so, @Grace and @nobody-here?' });
    const { text } = await ada.visitor.get(path);
    assert.match(text, /<a href="\/grace" class="mention">@Grace<\/a> and @nobody-here\?/);
    const at = path.replace('/read/', '/comments/');
    const asked = { accept: 'application/json' };
    const suggest = async (who: Person, prefix: string, from = at) =>
      who.visitor.get(`${from}?mention=${prefix}`, asked);
    const [his, others] = [{ username: 'grace', hasAccess: true }, { username: 'alan' }];
    assert.deepEqual((await suggest(ada, '')).json.people, [his]);
    assert.deepEqual((await suggest(ada, 'GR')).json.people, [his]);
    assert.deepEqual((await suggest(ada, 'al')).json.people, [{ ...others, hasAccess: false }]);
    assert.deepEqual((await suggest(ada, '%')).json.people, []);
    // The owner is suggested to a collaborator, nobody to someone who can't comment.
    assert.deepEqual((await suggest(grace, 'a')).json.people, [
      { username: 'ada', hasAccess: true },
      { username: 'ada', agent: 'world', hasAccess: true },
      { ...others, hasAccess: false },
    ]);
    const [agent] = (await suggest(grace, 'wor')).json.people;
    assert.deepEqual(agent, { username: 'ada', agent: 'world', hasAccess: true });
    // What tokens are called is for insiders.
    await ada.client.patch('/briefs/ada/mentions/review-settings', { comments: 'readers' });
    assert.deepEqual((await suggest(alan, 'wor')).json.people, []);
    assert.deepEqual((await suggest(alan, 'a')).json.people, [
      { username: 'ada', hasAccess: true },
    ]);
    await ada.client.patch('/briefs/ada/mentions/review-settings', { comments: 'insiders' });
    assert.equal((await suggest(alan, 'a')).status, 403);
    await make('mentions-private');
    assert.equal((await suggest(alan, '', '/comments/ada/mentions-private')).status, 404);
  });

  it('a comment is previewed for those who can comment', async () => {
    const path = await make('previewed', 'public');
    const at = path.replace('/read/', '/comments/');
    const asked = { accept: 'application/json' };
    const fields = { act: 'preview', body: 'Well *done*, @ada <b>' };
    const { json } = await grace.visitor.post(at, fields, asked);
    assert.equal(
      json.html.trim(),
      '<p>Well <em>done</em>, <a href="/ada" class="mention">@ada</a> &lt;b&gt;</p>',
    );
    assert.equal((await alan.visitor.post(at, fields, asked)).status, 403);
    const long = { ...fields, body: 'ö'.repeat(REVIEW_LIMITS.bodyBytes - 1) };
    assert.equal((await grace.visitor.post(at, long, asked)).status, 400);
    assert.deepEqual((await ada.client.get('/briefs/ada/previewed/threads')).data, []);
  });

  it('members of an organization are suggested to its members only', async () => {
    await ada.client.post('/user/orgs', { namespace: 'club', name: 'Club' });
    await ada.client.put('/orgs/club/members/alan', { role: 'member' });
    await alan.client.patch('/user/memberships/orgs/club', { state: 'active' });
    await ada.client.post('/orgs/club/briefs', { name: 'rota', content: TEXT });
    const { data } = await ada.client.put('/briefs/club/rota/collaborators/grace', {
      permission: 'read',
    });
    await grace.client.patch(`/user/brief_invitations/${data.id}`);
    const suggest = async (who: Person) =>
      (await who.visitor.get('/comments/club/rota?mention=', { accept: 'application/json' })).json;
    assert.deepEqual(await suggest(ada), {
      people: ['alan', 'grace'].map((username) => ({ username, hasAccess: true })),
    });
    // Who creates a brief is a collaborator.
    assert.deepEqual(await suggest(grace), {
      people: [
        { username: 'ada', hasAccess: true },
        { username: 'ada', agent: 'world', hasAccess: true },
      ],
    });
  });

  it('the editor gets open threads with positions, and sends their forms', async () => {
    const path = await make('sourced');
    const at = path.replace('/read/', '/comments/');
    const asked = { accept: 'application/json' };
    await open(grace, path, { quote: 'The station was', body: 'Which?' });
    await open(grace, path, { body: 'Good.' });
    const { json } = await ada.visitor.get(at, asked);
    const [whole, passage] = json.threads;
    assert.equal(json.etag, (await ada.client.get('/briefs/ada/sourced')).headers.get('etag'));
    assert.equal(whole.range, null);
    assert.equal(TEXT.slice(passage.range.from, passage.range.to), 'The **station** was');
    assert.match(passage.html, /<p>Which\?<\/p>/);
    const reply = { act: 'reply', thread: passage.id, body: ' ' };
    const refused = await ada.visitor.post(at, reply, asked);
    assert.equal(refused.status, 400, refused.text);
    assert.match(refused.json.sentence, /^Must not be empty/);
    const answered = await ada.visitor.post(at, { ...reply, body: 'This one.' }, asked);
    assert.match(answered.json.threads[1].html, /<p>This one\.<\/p>/);
    const resolved = await ada.visitor.post(at, { act: 'resolve', thread: passage.id }, asked);
    assert.equal(resolved.json.message, 'Resolved.');
    assert.equal(resolved.json.threads.length, 1);
    assert.equal((await ada.visitor.get(at)).headers.get('location'), `${path}#comments`);
    // People who can only read see them in the reading view; others learn nothing.
    assert.equal((await grace.visitor.get(at, asked)).status, 403);
    const hidden = await alan.visitor.get(at, asked);
    const missing = await alan.visitor.get(`${at}-not`, asked);
    assert.equal(hidden.status, 404);
    assert.equal(hidden.text, missing.text);
  });
});
