import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { after, describe, it } from 'node:test';
import { type Answer, type Client, readAnswer, startService } from '../../../test/harness.ts';
import { call, messagesOf, post } from '../../../test/mcp/agent.ts';
import { startServe } from '../../../test/process.ts';
import {
  countStatuses,
  documentBody,
  expectStatus,
  invite,
  join,
  makeDocument,
  makeOrganization,
  users,
} from '../../../test/rest/scenario.ts';
import { KINDS } from '../../base/schema/kind.ts';

// One process answers requests one after another; only two can interleave their queries.
describe('Races between two processes on one data directory', async () => {
  const ROUNDS = 15;
  const dataDir = mkdtempSync(joinPath(tmpdir(), 'briefs-test-'));
  const places: string[] = [];

  const service = await startService({ DATA_DIR: dataDir });
  const other = await startServe({ DATA_DIR: dataDir });
  places.push(service.baseUrl, other.baseUrl);
  const { ada, grace, alan } = await users(service, 'ada', 'grace', 'alan');
  after(async () => {
    await other.kill('SIGTERM');
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function send(
    place: number,
    client: Client,
    method: string,
    path: string,
    body?: object,
  ): Promise<Answer> {
    const headers = { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    return readAnswer(await fetch((places[place % 2] as string) + path, init));
  }

  const atOnce = (count: number, request: (index: number) => Promise<Answer>) =>
    Promise.all(Array.from({ length: count }, (_, index) => request(index)));

  async function countAdmins(org: string): Promise<number> {
    const { data } = await expectStatus(alan.get(`/orgs/${org}/members`), 200);
    return data.filter((member: { role: string }) => member.role === 'admin').length;
  }

  it('twelve concurrent creates of one name: one 201, eleven 422', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const body = documentBody(KINDS.brief, { name: `wanted-${round}` });
      const answers = await atOnce(12, (index) => send(index, ada, 'POST', '/briefs', body));
      assert.deepEqual(countStatuses(answers), { 201: 1, 422: 11 });
    }
  });

  it('one invitation accepted by six concurrently: one 204, five 404', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const document = await makeDocument(ada, `accepted-${round}`);
      const id = await invite(ada, document, grace, 'read');
      const path = `/user/brief_invitations/${id}`;
      const answers = await atOnce(6, (index) => send(index, grace, 'PATCH', path));
      assert.deepEqual(countStatuses(answers), { 204: 1, 404: 5 });
    }
  });

  it('one user invited by eight concurrently: one 201, seven 422', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const path = `${await makeDocument(ada, `inviting-${round}`)}/collaborators/grace`;
      const body = { permission: 'read' };
      const answers = await atOnce(8, (index) => send(index, ada, 'PUT', path, body));
      assert.deepEqual(countStatuses(answers), { 201: 1, 422: 7 });
    }
  });

  it('concurrent edits of sixteen lines: all are made', async () => {
    for (let round = 0; round < 3; round += 1) {
      const lines = Array.from({ length: 16 }, (_, line) => `Line ${line} of round ${round}.\n\n`);
      const document = await makeDocument(ada, `edited-${round}`, { content: lines.join('') });
      const answers = await atOnce(16, (index) => {
        const old = `Line ${index} of`;
        const edits = [{ op: 'replace', old, new: `Edited ${index} of` }];
        return send(index, ada, 'POST', `${document}/edits`, { edits });
      });
      assert.deepEqual(countStatuses(answers), { 200: 16 });
      const { data } = await expectStatus(ada.get(document), 200);
      assert.equal(data.content, lines.join('').replaceAll('Line', 'Edited'));
    }
  });

  it('two uploads with one ticket: one is stored', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const url = await issueTicket(round % 2 ? 'file' : 'page', `round-${round}`);
      const answers = await atOnce(4, async (index) => {
        const place = places[index % 2] as string;
        const address = place + url.slice(url.indexOf('/uploads/'));
        return readAnswer(await fetch(address, { method: 'PUT', body: `<p>${round} ${index}` }));
      });
      assert.deepEqual(countStatuses(answers), { 201: 1, 404: 3 });
    }
    const files = (await ada.get('/user/files')).data;
    const names = files.map(({ name }: { name: string }) => name);
    assert.deepEqual([names.length, new Set(names).size], [(ROUNDS - 1) / 2, (ROUNDS - 1) / 2]);
    const { data } = await ada.get('/pages/ada/ticket-round-0/revisions');
    assert.equal(data.length, 1);
  });

  async function issueTicket(what: 'file' | 'page', name: string): Promise<string> {
    const args =
      what === 'file'
        ? { action: 'upload', name: `${name}.txt` }
        : { kind: 'page', name: `ticket-${name}`, upload: true };
    const tool = what === 'file' ? 'files' : 'publish_document';
    const [answer] = messagesOf(await post(service, ada.token, call(tool, args)));
    return /http\S+\/uploads\/[\w-]{32}/.exec(answer.result.content[0].text)?.[0] ?? '';
  }

  it('two admins demoting each other, or leaving: never without an admin', async () => {
    for (let round = 0; round < 2 * ROUNDS; round += 1) {
      const org = `contest-${round}`;
      await makeOrganization(ada, org);
      await join(ada, org, grace, 'admin');
      await join(ada, org, alan);
      const demote = { role: 'member' };
      const answers = await Promise.all(
        round % 2
          ? [
              send(0, ada, 'PUT', `/orgs/${org}/members/grace`, demote),
              send(1, grace, 'PUT', `/orgs/${org}/members/ada`, demote),
            ]
          : [
              send(0, ada, 'DELETE', `/user/memberships/orgs/${org}`),
              send(1, grace, 'DELETE', `/user/memberships/orgs/${org}`),
            ],
      );
      assert.equal(countStatuses(answers)[204], 1);
      assert.equal(await countAdmins(org), 1);
    }
  });
});
