import { strict as assert } from 'node:assert';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Outcome, within } from '../process.ts';

/** The folder that the workers of a run share. */
const { TEST_QUEUE = '' } = process.env;

const INSTALLED_WITHIN_MS = 120_000;

const PACKAGE = fileURLToPath(new URL('../../../briefs-cli', import.meta.url));

/** The package as people install it. */
export interface Installed {
  /** Contains the command. */
  bin: string;
  /** The archive that `npm pack` made. */
  archive: string;
  /** Contains the oldest supported version of Node, if this machine has it. */
  node: string;
}

let installed: Installed | undefined;

/** Packs the client and installs it into an empty folder, without the network; once in a run. */
export function installCommand(): Installed {
  installed ??= TEST_QUEUE ? installForAll(join(TEST_QUEUE, 'installed')) : installAlone();
  return installed;
}

function installAlone(): Installed {
  const folder = mkdtempSync(join(tmpdir(), 'briefs-installed-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return install(folder);
}

/** The first worker of a run installs it; the others wait. The run deletes the folder. */
function installForAll(folder: string): Installed {
  const done = join(folder, 'done.json');
  if (mkdirSync(folder, { recursive: true }) !== undefined) {
    writeFileSync(`${done}.new`, JSON.stringify(install(folder)));
    renameSync(`${done}.new`, done);
  }
  const until = Date.now() + INSTALLED_WITHIN_MS;
  while (!existsSync(done)) {
    assert.ok(Date.now() < until, 'another worker failed to install the command');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  }
  return JSON.parse(readFileSync(done, 'utf8'));
}

function install(folder: string): Installed {
  assert.ok(existsSync(join(PACKAGE, 'dist/briefs.js')), 'run "npm run build" first');
  const npm = (...args: string[]) =>
    execFileSync('npm', [...args, '--silent', '--offline', '--no-audit', '--no-fund'], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: folder },
    });
  const archive = join(folder, npm('pack', PACKAGE).trim());
  npm('init', '--yes');
  npm('install', archive);
  return { bin: join(folder, 'node_modules/.bin'), archive, node: oldestNode() };
}

/** Returns the folder of the oldest Node from 20 on. */
function oldestNode(): string {
  const folders = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((each) => existsSync(join(each, 'node')));
  const versions = folders.map((folder) => ({
    folder,
    major: Number(/^v(\d+)/.exec(spawnSync(join(folder, 'node'), ['-v']).stdout.toString())?.[1]),
  }));
  const supported = versions.filter(({ major }) => major >= 20);
  return supported.sort((a, b) => a.major - b.major)[0]?.folder ?? '';
}

/** A folder in which someone uses the command. */
export interface Desk {
  folder: string;
  /** Their environment. */
  environment: Record<string, string>;
  credentials: string;
  path(name: string): string;
  read(name: string): string;
  write(name: string, text: string | Buffer): void;
  /** Moves a file to a folder that may be new. */
  move(from: string, to: string): void;
  /** Runs `briefs …` until it ends. */
  run(...args: string[]): Promise<Outcome>;
  /** Runs it with `--json`, and requires an exit code. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  json(code: number, ...args: string[]): Promise<any>;
  /** Starts the command with additional environment variables, and a text for its input. */
  start(args: string[], more?: Record<string, string>, input?: string): Started;
  remove(): void;
}

interface Started {
  stdout(): string;
  stderr(): string;
  ended: Promise<Outcome>;
  kill(signal: NodeJS.Signals): void;
}

export function openDesk(installed: Installed, environment: Record<string, string> = {}): Desk {
  const home = mkdtempSync(join(tmpdir(), 'briefs-desk-'));
  const folder = join(home, 'work');
  mkdirSync(folder);
  const path = (name: string) => join(folder, name);
  const own = {
    PATH: [installed.node, installed.bin, process.env.PATH].join(delimiter),
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    ...environment,
  };
  function start(args: string[], more: Record<string, string> = {}, input = ''): Started {
    const child = spawn('briefs', args, { cwd: folder, env: { ...own, ...more } });
    child.stdin.end(input);
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text) => {
        said[name] += text;
      });
    }
    const ended = new Promise<Outcome>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve({ code, signal, ...said }));
    });
    return {
      stdout: () => said.stdout,
      stderr: () => said.stderr,
      ended,
      kill: (signal) => child.kill(signal),
    };
  }
  const run = (...args: string[]) => within(start(args).ended, `briefs ${args.join(' ')}`);
  return {
    folder,
    environment: own,
    credentials: join(home, 'config/briefs/credentials.json'),
    path,
    run,
    start,
    read: (name) => readFileSync(path(name), 'utf8'),
    write(name, text) {
      mkdirSync(join(path(name), '..'), { recursive: true });
      writeFileSync(path(name), text);
    },
    move(from, to) {
      mkdirSync(join(path(to), '..'), { recursive: true });
      renameSync(path(from), path(to));
    },
    async json(code, ...args) {
      const outcome = await run('--json', ...args);
      assert.equal(outcome.code, code, outcome.stdout + outcome.stderr);
      return JSON.parse(outcome.stdout);
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}
