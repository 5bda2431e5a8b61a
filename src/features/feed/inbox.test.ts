import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { type Answer, startService } from '../../../test/harness.ts';
import { formWith, submit, toastOf, undo } from '../../../test/web-app/forms.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { placeEvents } from './feed.ts';

describe('The inbox', async () => {
  const service = await startService();
  after(() => service.stop());
  const ada = await makePerson(service, 'ada');
  const grace = await makePerson(service, 'grace');

  /** Creates a brief of ada's that grace can edit. */
  async function make(name: string): Promise<string> {
    const content = `# The ${name}\n\nSome words.\n`;
    const made = await ada.client.post('/user/briefs', { name, content, visibility: 'private' });
    assert.equal(made.status, 201, made.text);
    const path = `/briefs/ada/${name}/collaborators/grace`;
    const { data } = await ada.client.put(path, { permission: 'write' });
    await grace.client.patch(`/user/brief_invitations/${data.id}`);
    return `/read/ada/${name}`;
  }

  const comment = async (who: Person, path: string, body: string) =>
    submit(who.visitor, path, { act: 'open', body });

  async function inboxOf({ visitor }: Person): Promise<Answer> {
    while ((await placeEvents(service.app.context)).events > 0);
    return visitor.get('/inbox');
  }

  const entriesOf = ({ text }: Answer) =>
    Array.from(
      text.matchAll(/<li class="item inbox-entry( unread)?"[^>]*>(.*?)<\/li>/gs),
      (found) => ({
        isUnread: found[1] !== undefined,
        path: /<a class="item-title" href="([^"]*)"/.exec(found[2] as string)?.[1],
        sentence: /<a class="item-title"[^>]*>(.*?)<\/a>/s
          .exec(found[2] as string)?.[1]
          ?.replace(/<[^>]*>/g, ''),
      }),
    );
  const excerptsOf = ({ text }: Answer) =>
    Array.from(
      text.matchAll(/<p class="inbox-excerpt"[^>]*>(.*?)<\/p>/gs),
      ([, excerpt]) => excerpt,
    );
  const countOf = ({ text }: Answer) =>
    /<span>Inbox<\/span><span class="count">([^<]*)</.exec(text)?.[1];

  it('lists what others did, with a count, and links to the thread', async () => {
    const path = await make('orbit');
    await comment(ada, path, 'Mine.');
    await comment(grace, path, 'Hello.');
    const inbox = await inboxOf(ada);
    const { data } = await ada.client.get('/briefs/ada/orbit/threads');
    assert.deepEqual(entriesOf(inbox), [
      {
        isUnread: true,
        path: `/read/ada/orbit#thread-${data[0].id}`,
        sentence: 'grace commented on The orbit',
      },
    ]);
    assert.match(inbox.text, /just now/);
    assert.equal(countOf(inbox), '1');
  });

  it('says what was done, and shows the beginning of what was written', async () => {
    const path = await make('deeds');
    await comment(grace, path, `First\n\n<b>${'x'.repeat(200)}`);
    const said = (act: string, fields: object) => submit(grace.visitor, path, { act, ...fields });
    await said('open', { quote: 'Some', replacement: 'Few', body: 'Fewer.' });
    const edits = [{ op: 'append', content: 'More.' }];
    const proposed = await grace.client.post('/briefs/ada/deeds/edits', { edits, propose: true });
    assert.equal(proposed.status, 201, proposed.text);
    const judge = (verdict: string, body: string) =>
      submit(grace.visitor, '/review/ada/deeds', { verdict, revision: '1', body });
    await judge('changes_requested', 'Too short.');
    await judge('approved', '');
    const inbox = await inboxOf(ada);
    assert.deepEqual(
      entriesOf(inbox)
        .slice(0, 5)
        .map(({ sentence }) => sentence?.replace(/ with .* \(token\)/, '')),
      [
        'grace approved The deeds',
        'grace requested changes to The deeds',
        'grace proposed changes to The deeds',
        'grace suggested a change to The deeds',
        'grace commented on The deeds',
      ],
    );
    const beginning = `First &lt;b>${'x'.repeat(150)}…`;
    const suggested = '<del>Some</del> <ins>Few</ins>';
    const written = ['Too short.', suggested, 'Fewer.', beginning];
    assert.deepEqual(excerptsOf(inbox).slice(0, 4), written);

    await submit(ada.visitor, '/review/ada/deeds/request', {
      username: 'grace',
      note: 'The date?',
    });
    const asked = await inboxOf(grace);
    assert.equal(entriesOf(asked)[0]?.sentence, 'ada asked you to review The deeds');
    assert.equal(excerptsOf(asked)[0], 'The date?');
  });

  it('shows no comment to people who can no longer see comments', async () => {
    const path = await make('closed');
    await comment(ada, path, 'For insiders, @grace.');
    assert.equal(excerptsOf(await inboxOf(grace))[0], 'For insiders, @grace.');
    await ada.client.patch('/briefs/ada/closed', { visibility: 'public' });
    await ada.client.delete('/briefs/ada/closed/collaborators/grace');
    assert.equal((await grace.visitor.get('/read/ada/closed')).status, 200);
    assert.doesNotMatch((await inboxOf(grace)).text, /For insiders/);
  });

  it('opening a document marks only its entries as read', async () => {
    const [one, two] = [await make('one'), await make('two')];
    await comment(grace, one, 'First, @ada.');
    await comment(grace, two, 'Second.');
    await inboxOf(ada);
    await ada.visitor.get(one);
    const entries = entriesOf(await ada.visitor.get('/inbox')).slice(0, 2);
    assert.deepEqual(
      entries.map(({ isUnread, sentence }) => [isUnread, sentence]),
      [
        [true, 'grace commented on The two'],
        [false, 'grace mentioned you in a comment on The one'],
      ],
    );
    await ada.visitor.get(two);
    const rest = entriesOf(await ada.visitor.get('/inbox')).slice(0, 2);
    assert.deepEqual(
      rest.map(({ isUnread }) => isUnread),
      [false, false],
    );
  });

  it('is grouped by document, can be narrowed, and ended for one document', async () => {
    const [one, two] = [await make('first'), await make('second')];
    await comment(grace, one, 'For you, @ada.');
    await comment(grace, two, 'By the way.');
    await comment(grace, two, 'And more.');
    const inbox = await inboxOf(ada);
    const groups = inbox.text.split('<div class="inbox-group"').slice(1);
    // What waits for an answer comes first.
    assert.match(groups[0] ?? '', /The first/);
    assert.equal(groups[1]?.match(/inbox-entry unread/g)?.length, 2);
    const mentions = await ada.visitor.get('/inbox?show=mention');
    assert.match(mentions.text, /The first/);
    assert.doesNotMatch(mentions.text, /The second/);
    const [, document = ''] = /name="document" value="([^"]*)"/.exec(groups[0] ?? '') ?? [];
    const after = await submit(ada.visitor, '/inbox', { document, show: 'unread' });
    assert.doesNotMatch(after.text, /The first/);
    assert.match(after.text, /The second/);
    await submit(ada.visitor, '/inbox', { until: '999999' });
  });

  it('puts a document off until later, which then comes back unread', async () => {
    const path = await make('later');
    await submit(ada.visitor, '/inbox', { until: '999999' });
    await comment(grace, path, 'For Monday, @ada.');
    const inbox = await inboxOf(ada);
    assert.equal(countOf(inbox), '1');
    const { action, fields } = formWith(inbox, 'Next Monday');
    const after = await submit(ada.visitor, action, { ...fields, later: 'monday' });
    assert.equal(toastOf(after), 'Comes back on Monday at 8.');
    assert.deepEqual([countOf(after), after.text.includes('For Monday')], [undefined, false]);
    const later = await ada.visitor.get('/inbox?show=later');
    assert.match(later.text, /For Monday.*Comes back <time/s);
    // Neither reading the document nor marking all as read ends it.
    await ada.visitor.get(path);
    await submit(ada.visitor, '/inbox', { until: '999999' });
    const { data } = await ada.client.get('/user/inbox?show=later');
    assert.deepEqual([data.length, data[0].readAt], [1, null]);
    assert.match(data[0].laterUntil, /T08:00:00/);
    assert.equal((await ada.client.get('/user/inbox?unread=true')).data.length, 0);

    const api = `/user/inbox/${data[0].position}`;
    const past = { laterUntil: '2020-01-01T08:00:00.000Z' };
    assert.equal((await ada.client.patch(api, past)).status, 204);
    const back = await ada.visitor.get('/inbox');
    assert.equal(countOf(back), '1');
    assert.equal(entriesOf(back)[0]?.isUnread, true);
    assert.equal((await grace.client.patch(api, past)).status, 404);
    assert.equal((await ada.client.patch('/user/inbox/x', past)).status, 404);
    await submit(ada.visitor, '/inbox', { until: '999999' });
  });

  it('lists answers apart', async () => {
    const path = await make('answered');
    await comment(ada, path, 'A question.');
    const { data } = await ada.client.get('/briefs/ada/answered/threads');
    const thread = `/briefs/ada/answered/threads/${data[0].id}/comments`;
    assert.equal((await grace.client.post(thread, { body: 'The answer.' })).status, 201);
    await comment(grace, path, 'Something else.');
    await inboxOf(ada);
    const answers = await ada.visitor.get('/inbox?show=answer');
    assert.deepEqual(excerptsOf(answers).slice(0, 1), ['The answer.']);
    assert.doesNotMatch(answers.text, /Something else/);
  });

  it('is marked as read up to what was shown', async () => {
    const path = await make('marked');
    await comment(grace, path, 'Seen.');
    const form = formWith(await inboxOf(ada), 'Mark all as read');
    await comment(grace, path, 'Not seen.');
    await inboxOf(ada);
    const after = await submit(ada.visitor, form.action, form.fields);
    assert.deepEqual(entriesOf(after).filter(({ isUnread }) => isUnread).length, 1);
    assert.equal(countOf(after), '1');
    const invalid = await submit(ada.visitor, '/inbox', { until: 'x' });
    assert.match(toastOf(invalid), /position/);
  });

  it('follows a document’s notification settings', async () => {
    const path = await make('quiet');
    const notifications = '/notifications/ada/quiet';
    const chosen = async (who: Person) =>
      /value="(\w+)"[^>]*checked/.exec((await who.visitor.get(notifications)).text)?.[1];
    assert.deepEqual([await chosen(ada), await chosen(grace)], ['all', 'mentions']);
    const changed = await submit(ada.visitor, notifications, { level: 'none' });
    assert.equal(toastOf(changed), 'Notifications: nothing.');
    assert.equal(await chosen(ada), 'none');
    await comment(grace, path, 'Hush, @ada.');
    const [newest] = entriesOf(await inboxOf(ada));
    assert.doesNotMatch(newest?.sentence ?? '', /quiet/);
    const stranger = await makePerson(service, 'stranger');
    assert.equal((await stranger.visitor.get(notifications)).status, 404);
    assert.equal((await stranger.visitor.post(notifications, { level: 'all' })).status, 303);
  });

  it('lets an admin choose who can comment', async () => {
    await make('open');
    const share = '/share/ada/open';
    const changed = await submit(ada.visitor, `${share}/comments`, {
      comments: 'readers',
      from: 'insiders',
    });
    assert.equal(toastOf(changed), 'Who can comment: everyone who can read it.');
    const setting = async () =>
      (await ada.client.get('/briefs/ada/open/review-settings')).data.comments;
    assert.equal(await setting(), 'readers');
    assert.match(changed.text, /value="readers"[^>]*checked/);
    await undo(ada.visitor, changed);
    assert.equal(await setting(), 'insiders');
    assert.doesNotMatch((await grace.visitor.get(share)).text, /Who can comment/);
    const refused = await submit(grace.visitor, `${share}/comments`, {
      comments: 'off',
      from: 'insiders',
    });
    assert.match(toastOf(refused), /Only admins/);
    assert.equal(await setting(), 'insiders');
  });
});
