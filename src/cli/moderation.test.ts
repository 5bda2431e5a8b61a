import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { uploadForm } from '../../test/files/samples.ts';
import { startService } from '../../test/harness.ts';
import { runBriefs } from '../../test/process.ts';
import { makeDocument, makeOrganization } from '../../test/rest/scenario.ts';
import { stackSettings } from '../../test/stack.ts';
import { KINDS } from '../base/schema/kind.ts';
import { makeReport } from '../features/moderation/reports.testing.ts';

describe('briefs documents, reports and invitations', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  const settings = { DATA_DIR: dataDir, ...(await stackSettings(dataDir)) };
  const service = await startService(settings);
  const ada = await service.user('ada');
  after(async () => {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function run(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await runBriefs(args, settings);
    assert.equal(code, 0, stderr);
    return stdout;
  }

  it('take a brief and a page of the same name down, and restore them', async () => {
    const paths = [
      await makeDocument(ada, 'plan'),
      await makeDocument(ada, 'plan', { kind: KINDS.page }),
    ];
    const names = ['ada/plan', 'ada/pages/plan'];
    for (const [index, name] of names.entries()) {
      await run('documents', 'take-down', name, '--reason', 'Spam.');
      assert.equal((await ada.get(paths[index] ?? '')).status, 451);
    }
    const listed = JSON.parse(await run('documents', 'taken-down', '--json'));
    assert.deepEqual(
      listed.map(({ documentType }: { documentType: string }) => documentType).sort(),
      ['brief', 'page'],
    );
    for (const [index, name] of names.entries()) {
      await run('documents', 'restore', name);
      assert.equal((await ada.get(paths[index] ?? '')).status, 200);
    }
    const wrong = await runBriefs(['documents', 'restore', 'ada/plan'], settings);
    assert.equal(wrong.code, 1);
    assert.equal((await runBriefs(['documents', 'restore', 'plan'], settings)).code, 2);
  });

  it('delete a file of somebody, wherever it is shown', async () => {
    const sent = { method: 'POST', ...uploadForm({ bytes: 'Words.', name: 'note.txt' }) };
    const { url, id } = (await ada.request('/user/files', sent)).data;
    assert.equal((await fetch(url)).status, 200);
    const words = ['files', 'delete', url, '--reason', 'It is illegal.'];
    assert.match(await run(...words), /Deleted the file note\.txt of ada\./);
    assert.equal((await fetch(url)).status, 404);
    assert.equal((await ada.delete(`/user/files/${id}`)).status, 404);
    assert.equal((await ada.get('/user/usage')).data.fileBytes, 0);
    assert.equal((await runBriefs(words, settings)).code, 1);
    assert.equal((await runBriefs(['files', 'delete', 'x', '--reason', 'y'], settings)).code, 2);
    const trail = await run('audit', '--action', 'file.taken_away', '--json');
    assert.ok(trail.includes(id), trail);
    assert.doesNotMatch(trail, /note\.txt/);
  });

  it('delete an organization', async () => {
    await makeOrganization(ada, 'going');
    const path = await makeDocument(ada, 'plan', { org: 'going' });
    assert.match(await run('organizations', 'delete', 'Going'), /documents +1\n.*--yes/s);
    assert.equal((await ada.get(path)).status, 200);
    assert.match(await run('organizations', 'delete', 'going', '--yes'), /Deleted the org/);
    assert.equal((await ada.get(path)).status, 404);
    assert.equal((await runBriefs(['organizations', 'delete', 'ada', '--yes'], settings)).code, 1);
  });

  it('list reports, and close them', async () => {
    const path = await makeDocument(ada, 'reported');
    const id = await makeReport(service, (await ada.get(path)).data.id);
    const [open] = JSON.parse(await run('reports', 'list', '--json'));
    assert.deepEqual([open.id, open.fullName], [id, 'ada/reported']);
    await run('reports', 'close', id, '--outcome', 'dismissed');
    assert.equal((await run('reports', 'list', '--json')).trim(), '[]');
    const [closed] = JSON.parse(await run('reports', 'list', '--closed', '--json'));
    assert.equal(closed.outcome, 'dismissed');
  });

  it('invite people to sign up', async () => {
    const url = (await run('invitations', 'create', 'guest@example.net')).trim();
    const path = new URL(url).pathname;
    assert.equal((await fetch(service.webUrl + path)).status, 200);
    const [{ id, email }] = JSON.parse(await run('invitations', 'list', '--json'));
    assert.equal(email, 'guest@example.net');
    await run('invitations', 'revoke', id);
    assert.equal((await fetch(service.webUrl + path)).status, 404);
  });
});
