import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newChance } from '../chance.ts';
import { createInstallation } from '../installation.ts';
import { expectStatus } from '../rest/scenario.ts';
import { STACK } from '../stack.ts';
import { startReceiver } from '../webhook/receiver.ts';
import { rounds } from './rounds.ts';

const ROUNDS = rounds(STACK === 'embedded' ? 5 : 3);

const WITHIN_MS = 60_000;

describe('SIGKILL at random while webhooks are delivered', async () => {
  /** The names of documents whose creation was acknowledged. */
  const acknowledged = new Set<string>();
  const chance = newChance('webhooks');

  const installation = await createInstallation({ WEBHOOK_PRIVATE_ADDRESSES: 'allow' });
  const receiver = await startReceiver();
  const ada = await installation.user('ada');
  const replica = await installation.start();
  const webhook = { url: receiver.url, types: ['revision.created'] };
  await expectStatus(ada.at(replica).post('/user/webhooks', webhook), 201);
  await installation.end(replica, 'SIGTERM');
  after(async () => {
    receiver?.close();
    await installation?.stop();
  });

  async function writeAndKill(round: number): Promise<void> {
    const replicas = await installation.startAll(STACK === 'embedded' ? 1 : 2);
    let isOver = false;
    const writers = replicas.map(async (replica, writer) => {
      for (let n = 0; !isOver; n++) {
        const name = `at-${round}-${writer}-${n}`;
        const written = ada.at(replica).post('/user/briefs', { name, content: 'x' });
        const answer = await written.catch(() => undefined);
        if (answer?.status === 201) acknowledged.add(name);
      }
    });
    const wanted = acknowledged.size + 1 + chance.below(30);
    while (acknowledged.size < wanted) await sleep(5);
    await sleep(chance.below(300));
    isOver = true;
    await Promise.all(replicas.map((replica) => installation.end(replica, 'SIGKILL')));
    await Promise.all(writers);
  }

  /** Expires the claims of killed processes and the waits between attempts. */
  const passTime = () =>
    installation.look(({ sql, now }) =>
      sql.transaction(async (tx) => {
        await tx
          .updateTable('webhook_delivery')
          .set({ nextAt: now() })
          .where('nextAt', 'is not', null)
          .execute();
      }),
    );

  const waiting = () =>
    installation.look(async ({ sql: { read } }) => {
      const events = read.selectFrom('event').where('position', 'is', null).select('id');
      const deliveries = read
        .selectFrom('webhook_delivery')
        .where('nextAt', 'is not', null)
        .select('id');
      return (await events.execute()).length + (await deliveries.execute()).length;
    });

  it(`${ROUNDS} times: each event arrives at least once, with one id`, async (t) => {
    // Some attempts are running at the kill: the receiver has the event and doesn't respond.
    receiver.respond = () => (chance.below(3) === 0 ? undefined : { status: 204 });
    for (let round = 0; round < ROUNDS; round++) await writeAndKill(round);
    receiver.respond = () => ({ status: 204 });
    await installation.start();
    const giveUpAt = Date.now() + WITHIN_MS;
    do {
      await passTime();
      await sleep(1_500);
    } while ((await waiting()) > 0 && Date.now() < giveUpAt);
    assert.equal(await waiting(), 0, 'deliveries that wait');

    const ids = Map.groupBy(receiver.received, ({ json }) => json.data.document.name as string);
    for (const name of acknowledged) assert.ok(ids.has(name), `the event of ${name}`);
    for (const [name, received] of ids) {
      const distinct = new Set(received.map(({ headers }) => headers['webhook-id']));
      assert.equal(distinct.size, 1, `ids of the event of ${name}`);
    }
    const again = receiver.received.length - ids.size;
    t.diagnostic(`${acknowledged.size} events, ${again} deliveries repeated`);
    assert.ok(acknowledged.size > 0);
  });
});
