import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { openDatabase } from './database.ts';
import { openPostOffice, type PostOffice } from './mail/post-office.ts';
import { BRIEFS, type ServeProcess, startServe, within } from './process.ts';
import { findProgram } from './servers/server-process.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Commands that end only when someone stops them. */
const ENDLESS = /^curl -N /gm;

/** Blocks that install something or need other programs. */
const NOT_RUN =
  /npm ci|claude mcp|systemctl|ssh backup\.example|git checkout|Stop the service|^DATABASE_URL=/;

/** Returns the commands of a page, in its order. */
function commandsOf(page: string): string[] {
  const source = readFileSync(join(ROOT, page), 'utf8');
  return [...source.matchAll(/^```sh\n(.*?)^```$/gms)]
    .map(([, commands = '']) => commands)
    .filter((commands) => !NOT_RUN.test(commands));
}

const missing = ['curl', 'jq'].filter((program) => !findProgram(program));
if (missing.length > 0 && process.env.REQUIRE_BACKENDS === '1') {
  throw new Error(`REQUIRE_BACKENDS=1, and this machine lacks ${missing.join(', ')}`);
}
const skip = missing.length > 0 && `there is no ${missing.join(', ')}`;

describe('Every command of the guide works, in its order:', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  let office: PostOffice;
  let service: ServeProcess;

  before(async () => {
    office = await openPostOffice();
    const dataDir = join(folder, 'data');
    service = await startServe({
      DATA_DIR: dataDir,
      ...office.settings,
    });
    const programs = join(folder, 'bin');
    mkdirSync(programs);
    // The product's own command, without a registry.
    writeFileSync(
      join(programs, 'npx'),
      `#!/bin/sh\nshift 2\nexec "${process.execPath}" "${BRIEFS}" "$@"\n`,
    );
    chmodSync(join(programs, 'npx'), 0o755);
    // An error of the API is an error of the command.
    writeFileSync(join(folder, '.curlrc'), 'fail-with-body\nsilent\nshow-error\n');
    mkdirSync(join(folder, 'docs/images'), { recursive: true });
    for (const file of ['docs/example.md', 'docs/images/home.png']) {
      writeFileSync(join(folder, file), readFileSync(join(ROOT, file)));
    }
    writeFileSync(join(folder, 'password'), 'correct horse battery\n');
  });
  after(async () => {
    await service?.kill('SIGTERM');
    await office?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs commands in one shell, and returns what they print. */
  async function run(commands: string, settings: Record<string, string> = {}): Promise<string> {
    const here = commands
      .replaceAll('http://localhost:4000', service.webUrl)
      .replaceAll(ENDLESS, 'run_shortly curl -N ');
    const child = spawn('bash', ['-e', '-u', '-o', 'pipefail'], {
      cwd: folder,
      env: {
        PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
        HOME: folder,
        CURL_HOME: folder,
        DATA_DIR: join(folder, 'data'),
        ...settings,
      },
    });
    child.stdin.end(
      `trap 'echo "This failed: $BASH_COMMAND" >&2' ERR
       run_shortly() { timeout 3 "$@" || [ $? = 124 ]; }\n${here}`,
    );
    const output = Promise.all([text(child.stdout), text(child.stderr)]);
    const [code, [stdout, stderr]] = await within(
      Promise.all([new Promise((resolve) => child.once('close', resolve)), output]),
      'the commands',
    );
    assert.equal(code, 0, `${stdout}\n${stderr}`);
    return stdout;
  }

  it('docs/guide', async () => {
    const [account, ...session] = commandsOf('docs/guide/api.md');
    assert.ok(session.length > 15);
    const printed = await run(`${account}\necho "token: $TOKEN"`);
    const TOKEN = /^token: (\S+)$/m.exec(printed)?.[1] ?? '';
    // Only people with a verified address can invite addresses.
    const database = openDatabase(join(folder, 'data'), { readOnly: false });
    database.exec(`update account set "emailVerifiedAt" = '2026-01-31T12:00:00.000Z'`);
    database.close();
    const others = ['events', 'reviews', 'files', 'pages', 'sharing', 'webhooks'];
    const rest = others.flatMap((page) => {
      const found = commandsOf(`docs/guide/${page}.md`);
      assert.ok(found.length > 0, page);
      return found;
    });
    const agents = commandsOf('docs/agents/README.md');
    const shown = await run([...session, ...rest, ...agents].join('\n'), { TOKEN });
    assert.match(shown, /^read_document$/m);
  });

  it('README.md', async () => {
    const DATA_DIR = join(folder, 'first-steps');
    const first = await startServe({ DATA_DIR });
    try {
      const [steps = ''] = commandsOf('README.md');
      // The last command asks at the terminal for a password.
      const asked = 'npx --no-install briefs users set-password ada';
      assert.ok(steps.includes(asked));
      const answered = steps.replace(asked, `${asked} --password-stdin < password`);
      const shown = await run(answered.replaceAll('http://localhost:4000', first.webUrl), {
        DATA_DIR,
      });
      assert.match(shown, /# Hello\n\nMy first brief, with/);
    } finally {
      await first.kill('SIGTERM');
    }
  });

  it('docs/operate: accounts and backups', async () => {
    const settings = { DATA_DIR: join(folder, 'operated') };
    const place = join(folder, 'restored');
    const pages = ['accounts', 'backup'].map((page) => commandsOf(`docs/operate/${page}.md`));
    assert.ok(pages.every((commands) => commands.length >= 3));
    const commands = pages
      .flat()
      .join('\n')
      .replaceAll('/new/place', place)
      // Only the person at the terminal can answer.
      .replace('users set-password ada', 'users set-password ada --password-stdin < password')
      .replace('users delete ada', 'users delete ada --yes')
      // She has none.
      .replaceAll(/^npx --no-install briefs users (reset-second-factor|unlink) ada/gm, '! $&')
      .replace(
        '<id>',
        '$(npx --no-install briefs tokens list ada | grep -o "^[0-9a-f-]\\{36\\}" | head -n 1)',
      );
    await run(commands, settings);
    assert.match(
      await run('npx --no-install briefs users list', { DATA_DIR: place }),
      /grace@example\.com/,
    );
  });
});
