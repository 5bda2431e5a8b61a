import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { after, describe, it } from 'node:test';
import { KINDS } from '../../src/base/schema/kind.ts';
import { assertUnavailable } from '../installation.ts';
import { ALL_KINDS, documentBody, expectStatus } from '../rest/scenario.ts';
import { SKIP, startCluster } from './cluster.ts';

describe('A broken connection to PostgreSQL', { skip: SKIP }, async () => {
  let line: Line;

  const cluster = await startCluster({}, async (databaseUrl) => {
    line = await openLine(new URL(databaseUrl));
    const url = new URL(databaseUrl);
    url.port = String(line.port);
    return url.href;
  });
  const replica = await cluster.start();
  const ada = await cluster.user('ada');
  // The use of a token is written too, but once a minute.
  await ada.at(replica).get('/user');
  after(async () => {
    await cluster?.stop();
    line?.server.close();
  });

  for (const kind of ALL_KINDS) {
    const collection = `/user/${kind.segment}`;
    const path = (name: string) => `/${kind.segment}/ada/${name}`;

    it(`before a ${kind.kind} is committed: it is retried`, async () => {
      // Once the connection has prepared a statement, it sends only the values.
      line.breakAt('tried-again');
      const body = documentBody(kind, { name: 'tried-again' });
      await expectStatus(ada.at(replica).post(collection, body), 201);
      assert.equal(line.broken, true);
      await expectStatus(ada.at(replica).get(path('tried-again')), 200);
    });

    it(`at the commit of a ${kind.kind}: 503 that says to check, and it exists`, async () => {
      // A name of its own, because others write about the last test's in the background.
      const name = `unsure-${kind.kind}`;
      line.breakAt('commit', name);
      const body = documentBody(kind, { name, content: 'sure' });
      assertUnavailable(await ada.at(replica).post(collection, body));
      assert.equal(line.broken, true);
      const { data } = await expectStatus(ada.at(replica).get(path(name)), 200);
      assert.equal(data[kind.contentField], 'sure');
    });
  }

  it('at the commit of a change: 503 that says to check, and it happened once', async () => {
    const body = documentBody(KINDS.brief, { name: 'changed' });
    const made = await expectStatus(ada.at(replica).post('/user/briefs', body), 201);
    const condition = { 'if-match': made.headers.get('etag') as string };
    const change = { content: 'altogether new' };
    line.breakAt('commit', change.content);
    assertUnavailable(await ada.at(replica).patch('/briefs/ada/changed', change, condition));
    await expectStatus(ada.at(replica).patch('/briefs/ada/changed', change, condition), 412);
  });
});

/** A connection to PostgreSQL that can be cut. */
interface Line {
  server: Server;
  port: number;
  /**
   * Cuts the next connection that sends this text, when the response arrives, which is lost.
   *
   * @param after only a connection that has sent this before, because others commit unrelated
   *   writes
   */
  breakAt(text: string, after?: string): void;
  readonly broken: boolean;
}

async function openLine({ hostname, port }: URL): Promise<Line> {
  let wanted: { text: string; after: string } | undefined;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    let doomed = false;
    let armed: typeof wanted;
    const cut = () => {
      near.destroy();
      far.destroy();
    };
    near.on('error', cut).on('close', cut);
    far.on('error', cut).on('close', cut);
    near.on('data', (bytes) => {
      if (wanted) {
        if (bytes.includes(wanted.after)) armed = wanted;
        if (armed === wanted && bytes.includes(wanted.text)) {
          doomed = true;
          wanted = undefined;
        }
      }
      far.write(bytes);
    });
    far.on('data', (bytes) => {
      if (doomed) cut();
      else near.write(bytes);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    server,
    port: (server.address() as { port: number }).port,
    breakAt(text, after = '') {
      wanted = { text, after };
    },
    get broken() {
      return wanted === undefined;
    },
  };
}
