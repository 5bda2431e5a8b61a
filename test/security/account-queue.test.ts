import { strict as assert } from 'node:assert';
import { connect, type Socket } from 'node:net';
import { after, afterEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../harness.ts';
import { makePerson, type Person } from '../web-app/world.ts';

/** How many expensive requests of one account can run at once, and be queued. */
const [RUNNING, WAITING] = [4, 200];

const HEAD = '--B\r\ncontent-disposition: form-data; name="content"\r\n\r\n';
const JSON_ONLY = { accept: 'application/json' };

describe('Expensive requests of one account', async () => {
  const held: Socket[] = [];

  const service = await startService();
  after(() => service.stop());
  const ada = await makePerson(service, 'ada');
  const bob = await makePerson(service, 'bob');
  afterEach(() => {
    for (const socket of held.splice(0)) socket.destroy();
  });

  /** Starts previews whose text never ends; each uses a slot until its connection closes. */
  async function hold(person: Person): Promise<void> {
    const cookie = Array.from(person.visitor.cookies, (pair) => pair.join('=')).join('; ');
    const { port, host, origin } = new URL(service.webUrl);
    for (let count = 0; count < RUNNING; count++) {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
      const lines = [
        'POST /preview HTTP/1.1',
        `Host: ${host}`,
        `Origin: ${origin}`,
        `Cookie: ${cookie}`,
        'Content-Type: multipart/form-data; boundary=B',
        'Content-Length: 1000',
        '',
        HEAD,
      ];
      socket.write(lines.join('\r\n'));
      held.push(socket);
    }
    await sleep(300);
  }

  function preview({ visitor }: Person) {
    const form = new FormData();
    form.append('content', '# Text');
    return visitor.post('/preview', form, JSON_ONLY);
  }

  async function call({ client }: Person) {
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search_documents', arguments: {} },
    };
    const headers = {
      authorization: `Bearer ${client.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const init = { method: 'POST', headers, body: JSON.stringify(message) };
    const response = await fetch(`${service.baseUrl}/mcp`, init);
    return { status: response.status, text: await response.text() };
  }

  it('wait for each other on every surface, and delay no one else', async () => {
    await hold(ada);
    const done: string[] = [];
    const waiting = [
      preview(ada).then(({ status }) => done.push(`preview ${status}`)),
      ada.visitor.get('/search?q=x').then(({ status }) => done.push(`search ${status}`)),
      ada.visitor.get('/export').then(({ status }) => done.push(`export ${status}`)),
      call(ada).then(({ status }) => done.push(`call ${status}`)),
    ];
    assert.equal((await preview(bob)).status, 200);
    assert.equal((await bob.visitor.get('/search?q=x')).status, 200);
    assert.equal((await call(bob)).status, 200);
    assert.equal((await ada.visitor.get('/')).status, 200, 'what is cheap does not wait');
    await sleep(200);
    assert.deepEqual(done, []);
    for (const socket of held.splice(0)) socket.destroy();
    await Promise.all(waiting);
    assert.deepEqual(done.sort(), ['call 200', 'export 200', 'preview 200', 'search 200']);
  });

  it('get 429 with Retry-After if too many are queued', async () => {
    await hold(ada);
    let refused = 0;
    const asked = Array.from({ length: WAITING + 3 }, async () => {
      const answer = await preview(ada);
      if (answer.status === 200) return;
      refused += 1;
      assert.equal(answer.status, 429, answer.text);
      assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      assert.match(answer.text, /200 of yours are waiting\. Try again in/);
    });
    for (let times = 0; refused < 3 && times < 100; times++) await sleep(100);
    assert.equal(refused, 3);
    const { status, text } = await call(ada);
    assert.equal(status, 200);
    assert.match(text, /RATE_LIMITED: Too many requests at once: 200 of yours are waiting/);
    assert.equal((await preview(bob)).status, 200);
    for (const socket of held.splice(0)) socket.destroy();
    await Promise.all(asked);
    assert.equal((await preview(ada)).status, 200);
  });
});
