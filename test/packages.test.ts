import { strict as assert } from 'node:assert';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { freePorts } from './free-ports.ts';
import { within } from './process.ts';
import { until } from './until.ts';

// docs/develop/performance.md has the same figures.
/** The most that the image adds to Node's. */
const IMAGE_MB = 60;
/** The most that `npm ci` installs beside Node. */
const DEVELOPMENT_MB = 350;

/** What deploy/Dockerfile copies, beside packages. */
const PARTS = ['bin', 'dist/server', 'dist/client', 'dist/openapi.json'];

interface Locked {
  dev?: boolean;
  optional?: boolean;
  devOptional?: boolean;
  link?: boolean;
  hasInstallScript?: boolean;
}

const locked = Object.entries(
  (
    JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, Locked>;
    }
  ).packages,
);
/** Packages that a service needs. Nested ones come with their parents. */
const needed = locked
  .filter(([path]) => path.lastIndexOf('node_modules/') === 0)
  .filter(([, { dev, optional, devOptional, link }]) => !(dev || optional || devOptional || link))
  .map(([path]) => path);

/** Makes a package with a command of npm, and unpacks it. */
function unpack(command: string[], into: string): void {
  const args = [...command, '--json', '--pack-destination', into];
  const packed = execFileSync('npm', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const [{ filename }] = JSON.parse(packed.toString());
  execFileSync('tar', ['-xzf', filename, '--strip-components=1'], { cwd: into });
  rmSync(join(into, filename));
}

describe('Packages', () => {
  it('what deploy/Dockerfile copies into the image stays within its budget', () => {
    const megabytes = [...PARTS, ...needed].reduce((sum, path) => sum + megabytesOf(path), 0);
    assert.ok(megabytes > 10 && megabytes <= IMAGE_MB, `${megabytes} of ${IMAGE_MB} MB`);
  });

  it('what development needs stays within its budget', () => {
    const megabytes = readdirSync('node_modules')
      .filter((name) => name.startsWith('node-'))
      .reduce(
        (rest, name) => rest - megabytesOf(join('node_modules', name)),
        megabytesOf('node_modules'),
      );
    assert.ok(
      megabytes > 50 && megabytes <= DEVELOPMENT_MB,
      `${megabytes} of ${DEVELOPMENT_MB} MB`,
    );
  });

  it('none runs a script when it is installed', () => {
    const scripts = locked.filter(([, { hasInstallScript }]) => hasInstallScript);
    // The project's own builds it.
    assert.deepEqual(scripts.map(([path]) => path).filter(Boolean), []);
  });

  it('the checkout is no package with a command, which npx would install anew', () => {
    assert.equal(JSON.parse(readFileSync('package.json', 'utf8')).bin, undefined);
  });

  it('a packed command line runs alone', () => {
    const home = mkdtempSync(join(tmpdir(), 'briefs-packages-'));
    unpack(['pack', './briefs-cli'], home);
    const version = execFileSync(process.execPath, ['dist/briefs.js', '--version'], { cwd: home });
    assert.match(version.toString(), /^\d+\.\d+\.\d+\n$/);
    rmSync(home, { recursive: true });
  });

  it('a packed service runs with nothing beside it', async () => {
    const home = mkdtempSync(join(tmpdir(), 'briefs-packages-'));
    unpack(['run', '--silent', 'pack', '--'], home);
    const files = readdirSync(home, { recursive: true, encoding: 'utf8' });
    assert.deepEqual(
      files.filter((path) => /^(?:src|test|dist.(?:src|test))\b|\.map$/.test(path)),
      [],
    );
    const [port, renderPort] = (await freePorts(2)).map(String) as [string, string];
    const env = {
      PATH: process.env.PATH,
      DATA_DIR: join(home, 'data'),
      HOST: '127.0.0.1',
      PORT: port,
      RENDER_PORT: renderPort,
    };
    const start = (...args: string[]) => {
      const child = spawn(process.execPath, ['bin/briefs.js', ...args], { cwd: home, env });
      const said = { out: '', err: '' };
      child.stdout.on('data', (text) => {
        said.out += text;
      });
      child.stderr.on('data', (text) => {
        said.err += text;
      });
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
      return { child, said, ended };
    };
    const service = start('serve');
    try {
      let isOver = false;
      void service.ended.then(() => {
        isOver = true;
      });
      await until('the start', () => isOver || service.said.out.includes('Briefs is running.'));
      assert.equal(isOver, false, service.said.err);
      const create = start('users', 'create', 'ada', '--email', 'ada@example.com');
      assert.equal(await within(create.ended, 'the account'), 0, create.said.err);
      const tokens = start('tokens', 'create', 'ada');
      assert.equal(await within(tokens.ended, 'the token'), 0, tokens.said.err);
      const url = `http://127.0.0.1:${port}`;
      const made = await fetch(`${url}/api/user/briefs`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${tokens.said.out.trim()}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ name: 'notes', content: '# Notes\n\n```js\nlet x;\n```\n\n$x^2$' }),
      });
      assert.equal(made.status, 201, await made.text());
      const html = { accept: 'text/html' };
      const page = await (await fetch(`${url}/ada/notes`, { headers: html })).text();
      assert.match(page, /<math/);
      assert.equal((await fetch(`${url}/reference`, { headers: html })).status, 200);
    } finally {
      service.child.kill('SIGTERM');
      await service.ended;
      rmSync(home, { recursive: true, force: true });
    }
    assert.equal(service.said.err, '');
  });
});

function megabytesOf(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).size / 1024 / 1024;
  const bytes = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  return bytes / 1024 / 1024;
}
