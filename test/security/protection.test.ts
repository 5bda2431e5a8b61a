import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { VIA_WEB } from '../../src/base/schema/means.ts';
import { type Actor, callOf } from '../../src/core/context.ts';
import { ALL_SCOPES } from '../../src/core/identity/scope.ts';
import { openThread } from '../../src/features/comments/new-thread-service.ts';
import { giveReview, requestReview } from '../../src/features/reviews/review-service.ts';
import { restoreRevision } from '../../src/features/revisions/revision-service.ts';
import { acceptSuggestions } from '../../src/features/suggestions/suggestion-service.ts';
import { type Answer, type Client, type Service, startService } from '../harness.ts';
import { collaborate, decide, expectStatus, join, makeOrganization } from '../rest/scenario.ts';

// Whatever an owner's and an editor's tokens do to a protected brief, the public reads only texts
// that a person approved or accepted in the web app.

const RUNS = Number(process.env.PROTECTION_RUNS ?? 12);
const ACTS = 40;

/** The names that documents can have here. */
const NAMES = ['prot', 'other'];

/** What a run knows: the documents by id, and the words that a person has seen. */
interface Run {
  service: Service;
  ada: Client;
  /** Tokens: of the owner, of someone who can edit, and of the reviewer. */
  clients: readonly Client[];
  /** The owner, the reviewer and an accomplice in the web app. */
  onTheWeb: { ada: Actor; grace: Actor; eve: Actor };
  /** The id of the protected brief. */
  id: string;
  /** All texts that may be public under a protected name. */
  seen: Set<string>;
  /** Names at which the protected brief was public. */
  protectedNames: Set<string>;
  newWord(): string;
}

const NUMBER = fc.nat(1_000);
interface Choice {
  act: number;
  by: number;
  one: number;
  other: number;
}
const choice: fc.Arbitrary<Choice> = fc.record({
  act: NUMBER,
  by: NUMBER,
  one: NUMBER,
  other: NUMBER,
});

const pick = <T>(list: readonly T[], index: number): T | undefined => list[index % list.length];
const isJson = ({ status }: Answer) => status >= 200 && status < 300;

describe('A protected brief', async () => {
  let worlds = 0;

  const service = await startService({ RATE_LIMIT_API: 'off' });
  after(() => service.stop());

  async function actorOf(client: Client): Promise<Actor> {
    const { id, username } = (await client.get('/user')).data;
    return { id, username, scopes: ALL_SCOPES, via: VIA_WEB };
  }

  async function makeRun(): Promise<Run> {
    const number = worlds++;
    const ada = await service.user(`ada-${number}`);
    const mal = await service.user(`mal-${number}`);
    const grace = await service.user(`grace-${number}`);
    const prefix = `w${number}x`;
    let words = 0;
    const newWord = () => prefix + ++words;
    const body = { name: 'prot', content: `${newWord()}\n`, visibility: 'private' };
    const { id } = (await expectStatus(ada.post('/user/briefs', body), 201)).data;
    const path = `/briefs/${ada.username}/prot`;
    await collaborate(ada, path, mal, 'write');
    await collaborate(ada, path, grace, 'write');
    // Mal's second account, with every right that others can give it.
    const eve = await service.user(`eve-${number}`);
    await collaborate(ada, path, eve, 'admin');
    await expectStatus(ada.patch(`${path}/review-settings`, { protected: true }), 200);
    const onTheWeb = {
      ada: await actorOf(ada),
      grace: await actorOf(grace),
      eve: await actorOf(eve),
    };
    const ref = { kind: 'brief', owner: ada.username, name: 'prot' } as const;
    const { username } = grace;
    await requestReview(callOf(service.app.context, onTheWeb.ada), ref, { username });
    const known = { seen: new Set<string>(), protectedNames: new Set<string>() };
    return { service, ada, clients: [ada, mal, grace], onTheWeb, id, newWord, ...known };
  }

  it('shows the public no words that no one has seen, whatever is done with tokens', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(choice, { minLength: ACTS, maxLength: ACTS }), async (choices) => {
        const run = await makeRun();
        const log: string[] = [];
        for (const each of choices) {
          log.push(await perform(run, each));
          await check(run, log);
        }
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });
});

describe('A brief that needs two people', async () => {
  const service = await startService({ RATE_LIMIT_API: 'off' });
  after(() => service.stop());
  const { context } = service.app;
  const names = ['ada', 'grace', 'joan'] as const;
  const people = await Promise.all(
    names.map(async (name) => {
      const client = await service.user(`two-${name}`);
      const { id, username } = (await client.get('/user')).data;
      return { client, username, web: { id, username, scopes: ALL_SCOPES, via: VIA_WEB } as Actor };
    }),
  );
  const [ada, ...others] = people.map(({ client }) => client) as [Client, Client, Client];
  await makeOrganization(ada, 'two');
  for (const other of others) await join(ada, 'two', other, 'admin');
  await expectStatus(ada.patch('/orgs/two/protection', { protected: true }), 200);
  let briefs = 0;

  it('becomes public only with words that somebody else than their writer has approved', async () => {
    let published = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(choice, { minLength: ACTS, maxLength: ACTS }), async (choices) => {
        const name = `brief-${++briefs}`;
        const path = `/briefs/two/${name}`;
        const ref = { kind: 'brief', owner: 'two', name } as const;
        /** Who wrote each word, and who has approved a text with it. Each word occurs once. */
        const writers = new Map<string, string>();
        const approvers = new Map<string, Set<string>>();
        const newWord = (username: string) => {
          const word = `w${writers.size}x${briefs}`;
          writers.set(word, username);
          return word;
        };
        const wordsOf = (text: string): string[] => text.match(/w\d+x\d+/g) ?? [];
        const read = async () => {
          const answer = await ada.get(path);
          const revision = Number(answer.headers.get('x-revision'));
          return { words: wordsOf(answer.data.content), revision };
        };
        const text = (words: string[]) => `${words.join('\n\n')}\n`;
        const first = { name, content: text([newWord('two-ada')]), visibility: 'internal' };
        await expectStatus(ada.post('/orgs/two/briefs', first), 201);
        const log: string[] = [];
        for (const { act, by, one, other } of choices) {
          const { client, username, web } = pick(people, by) as (typeof people)[number];
          const { words, revision } = await read();
          const suggest = async (actor: Actor) => {
            const on = { quote: pick(words, one) ?? '' };
            return openThread(callOf(context, actor), ref, { on, replacement: newWord(username) });
          };
          const patch = (changed: string[]) => client.patch(path, { content: text(changed) });
          const approve = async () => {
            await giveReview(callOf(context, web), ref, { verdict: 'approved', revision });
            for (const word of words) {
              approvers.set(word, (approvers.get(word) ?? new Set()).add(username));
            }
          };
          const publish = async () => {
            const { status } = await client.patch(path, { visibility: 'public' });
            if (status !== 200) return status;
            published++;
            for (const word of words) {
              const writer = writers.get(word) ?? '';
              const second = [...(approvers.get(word) ?? [])].find((each) => each !== writer);
              assert.ok(second, `${word} of ${writer} is public after:\n${log.join('\n')}`);
            }
            await expectStatus(ada.patch(path, { visibility: 'private' }), 200);
            return status;
          };
          const acts: Record<string, () => Promise<unknown>> = {
            add: () => patch([...words, newWord(username)]),
            replace: () => patch(words.with(one % words.length, newWord(username))),
            delete: () => patch(words.length > 1 ? words.toSpliced(one % words.length, 1) : words),
            move: () => patch([...words.slice(1), ...words.slice(0, 1)]),
            restore: () => client.post(`${path}/revisions/${1 + (one % revision)}/restore`),
            'restore on the web': () =>
              restoreRevision(callOf(context, web), ref, 1 + (one % revision)),
            suggest: () => suggest(web),
            'suggest, and accept it alone': async () =>
              acceptSuggestions(callOf(context, web), ref, [(await suggest(web)).id]),
            accept: async () => {
              const thread = pick((await ada.get(`${path}/threads`)).data as { id: string }[], one);
              if (thread) await acceptSuggestions(callOf(context, web), ref, [thread.id]);
            },
            'move a suggestion': async () => {
              const thread = pick((await ada.get(`${path}/threads`)).data as { id: string }[], one);
              const on = { quote: pick(words, other) };
              return client.patch(`${path}/threads/${thread?.id}`, { on });
            },
            'rename there and back': async () => {
              await client.patch(path, { name: `${name}-away` });
              return client.patch(`${path}-away`, { name });
            },
            'approve with a token': () =>
              client.post(`${path}/reviews`, { verdict: 'approved', revision }),
            'approve twice': () => approve().then(approve),
            'approve, and publish': () => approve().then(publish),
            approve,
            publish,
          };
          const what = pick(
            [...Object.keys(acts), 'approve', 'approve, and publish'],
            act,
          ) as string;
          const done = await (acts[what] as () => Promise<unknown>)().catch(
            (error: Error) => error.message,
          );
          log.push(
            `${username}: ${what} → ${(done as Answer | undefined)?.status ?? done ?? 'done'}`,
          );
          if (what === 'approve, and publish')
            assert.ok(done === 200 || done === 422, log.join('\n'));
        }
        // Two approvals of the same text are enough for whatever words.
        const { revision } = await read();
        for (const { web } of people.slice(1)) {
          await giveReview(callOf(context, web), ref, { verdict: 'approved', revision });
        }
        await expectStatus(ada.patch(path, { visibility: 'public' }), 200);
      }),
      { numRuns: Math.ceil(RUNS / 4), endOnFailure: true },
    );
    assert.ok(published > 0, 'no brief became public');
  });
});

/** The documents of the owner, by name. */
async function documentsOf({
  ada,
}: Run): Promise<{ id: string; name: string; visibility: string }[]> {
  return (await ada.get('/user/briefs?per_page=100')).data;
}

/** Does something, as far as it is possible. @returns what was done, for the log */
async function perform(run: Run, { act, by, one, other }: Choice): Promise<string> {
  const { ada, clients, onTheWeb, newWord } = run;
  const { context } = run.service.app;
  const documents = await documentsOf(run);
  const document = documents.find(({ id }) => id === run.id) ?? pick(documents, one);
  const client = pick(clients, by) as Client;
  const owner = ada.username;
  const name = pick(NAMES, other) as string;
  const text = `${newWord()} ${newWord()}\n`;
  if (!document)
    return `create ${(await ada.post('/user/briefs', { name, content: text })).status}`;
  const path = `/briefs/${owner}/${document.name}`;
  const ref = { kind: 'brief', owner, name: document.name } as const;
  const current = async (): Promise<{ content: string; revision: number }> => {
    const answer = await ada.get(path);
    return { content: answer.data.content, revision: Number(answer.headers.get('x-revision')) };
  };
  const openThreads = async (): Promise<{ id: string; kind: string }[]> =>
    (await ada.get(`${path}/threads`)).data.filter(
      ({ kind }: { kind: string }) => kind !== 'comment',
    );
  const acts: Record<string, () => Promise<unknown>> = {
    write: () => client.patch(path, { content: text }),
    append: () => client.post(`${path}/edits`, { edits: [{ op: 'append', content: text }] }),
    'write and publish': () => client.patch(path, { content: text, visibility: 'public' }),
    suggest: async () => {
      const quote = pick((await current()).content.split(/\s+/).filter(Boolean), one);
      return client.post(`${path}/threads`, { on: { quote }, replacement: newWord() });
    },
    propose: () =>
      client.post(`${path}/edits`, { edits: [{ op: 'append', content: text }], propose: true }),
    accept: async () => {
      const thread = pick(await openThreads(), one);
      return decide(client, path, 'accept', [thread?.id ?? '']);
    },
    'move a suggestion': async () => {
      const thread = pick(await openThreads(), one);
      const quote = pick((await current()).content.split(/\s+/).filter(Boolean), other);
      return client.patch(`${path}/threads/${thread?.id}`, { on: { quote } });
    },
    restore: async () =>
      client.post(`${path}/revisions/${1 + (one % (await current()).revision)}/restore`),
    pin: async () =>
      ada.patch(`${path}/revisions/${1 + (one % (await current()).revision)}`, { pinned: true }),
    publish: () => ada.patch(path, { visibility: 'public' }),
    hide: () => ada.patch(path, { visibility: 'private' }),
    rename: () => client.patch(path, { name }),
    'rename another': () =>
      client.patch(`/briefs/${owner}/${pick(documents, one)?.name}`, { name }),
    'rename another with a text': () =>
      client.patch(`/briefs/${owner}/${pick(documents, one)?.name}`, {
        name,
        content: text,
        ...(other % 3 && { visibility: 'public' }),
      }),
    'approve another on the web': async () => {
      const another = pick(documents, one);
      const answer = await ada.get(`/briefs/${owner}/${another?.name}`);
      const revision = Number(answer.headers.get('x-revision'));
      const its = { ...ref, name: another?.name ?? '' };
      await giveReview(callOf(context, onTheWeb.ada), its, { verdict: 'approved', revision });
      run.seen.add(answer.data.content);
    },
    'publish another': () =>
      client.patch(`/briefs/${owner}/${pick(documents, one)?.name}`, { visibility: 'public' }),
    create: () => ada.post('/user/briefs', { name, content: text, visibility: 'public' }),
    'create privately': () =>
      ada.post('/user/briefs', { name, content: text, visibility: 'private' }),
    delete: () => ada.delete(path),
    'restore from the trash': async () => {
      const trashed = pick((await ada.get('/user/trash')).data as { id: string }[], one);
      return ada.post(`/trash/${trashed?.id}/restore`, other % 2 ? { name } : {});
    },
    link: () => ada.post(`${path}/links`, { access: 'read' }),
    'end the protection': () => ada.patch(`${path}/review-settings`, { protected: false }),
    'approve with a token': async () =>
      client.post(`${path}/reviews`, {
        verdict: 'approved',
        revision: (await current()).revision,
      }),
    reject: async () => {
      const thread = pick(await openThreads(), one);
      return decide(client, path, 'reject', [thread?.id ?? '']);
    },
    reopen: async () => {
      const closed = (await ada.get(`${path}/threads?state=all`)).data.filter(
        ({ state }: { state: string }) => state === 'rejected' || state === 'resolved',
      );
      const thread = pick(closed as { id: string }[], one);
      return client.patch(`${path}/threads/${thread?.id}`, { state: 'open' });
    },
    'restore on the web': async () =>
      restoreRevision(callOf(context, onTheWeb.grace), ref, 1 + (one % (await current()).revision)),
    'ask the accomplice': () => client.put(`${path}/reviewers/${onTheWeb.eve.username}`, {}),
    'the accomplice approves': async () => {
      const { revision } = await current();
      await requestReview(callOf(context, onTheWeb.eve), ref, { username: onTheWeb.eve.username });
      return giveReview(callOf(context, onTheWeb.eve), ref, { verdict: 'approved', revision });
    },
    'approve on the web': async () => {
      const { content, revision } = await current();
      if (document.id !== run.id) return undefined;
      await giveReview(callOf(context, onTheWeb.grace), ref, { verdict: 'approved', revision });
      run.seen.add(content);
      return undefined;
    },
    'approve on the web, and publish': async () => {
      await acts['approve on the web']?.();
      return ada.patch(path, { visibility: 'public' });
    },
    'accept on the web': async () => {
      const thread = pick(await openThreads(), one);
      if (!thread) return undefined;
      const after = await acceptSuggestions(callOf(context, onTheWeb.ada), ref, [thread.id]);
      // Into a public text, an admin accepts what they see; a private one isn't approved by that.
      if (after.document.visibility === 'public') run.seen.add(after.text);
      return undefined;
    },
    'suggest on the web, and accept there': async () => {
      const { content } = await current();
      const quote = pick(content.split(/\s+/).filter(Boolean), one) ?? '';
      const wasApproved = run.seen.has(content);
      const suggestion = { on: { quote }, replacement: newWord() };
      const { id } = await openThread(callOf(context, onTheWeb.grace), ref, suggestion);
      const after = await acceptSuggestions(callOf(context, onTheWeb.ada), ref, [id]);
      if (wasApproved || after.document.visibility === 'public') run.seen.add(after.text);
      return undefined;
    },
  };
  // Most acts matter only between an approval and the publication.
  const frequent = [
    'approve on the web',
    'approve on the web, and publish',
    'publish',
    'hide',
    'suggest',
    'accept on the web',
    'pin',
    'rename',
    'rename another',
    'approve another on the web',
    'create',
  ];
  const names = [...Object.keys(acts), ...frequent, ...frequent];
  const what = pick(names, act) as string;
  const perform = acts[what] as () => Promise<unknown>;
  const outcome = await perform().catch((error: Error) => error.message);
  const status = (outcome as Answer | undefined)?.status ?? outcome ?? 'done';
  return `${client.username}: ${what} ${document.name} (${name}) → ${status}`;
}

/** Reads every protected name, with every pinned revision, as the public does. */
async function check(run: Run, log: readonly string[]): Promise<void> {
  const { service, ada } = run;
  const brief = (await documentsOf(run)).find(({ id }) => id === run.id);
  if (brief?.visibility === 'public') run.protectedNames.add(brief.name);
  for (const name of run.protectedNames) {
    const address = `${service.webUrl}/${ada.username}/${name}`;
    const settings = await ada.get(`/briefs/${ada.username}/${name}/revisions?per_page=100`);
    const pinned = isJson(settings)
      ? (settings.data as { number: number; pinned: boolean }[])
          .filter((revision) => revision.pinned)
          .map(({ number }) => `${address}@${number}.md`)
      : [];
    for (const url of [`${address}.md`, ...pinned]) {
      const answer = await fetch(url);
      if (answer.status !== 200) continue;
      const text = await answer.text();
      assert.ok(run.seen.has(text), `${url} shows “${text}” after:\n${log.join('\n')}`);
    }
  }
}
