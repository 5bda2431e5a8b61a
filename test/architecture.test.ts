import { strict as assert } from 'node:assert';
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

// The house (docs/develop/architecture.md): imports lead downwards only. What stands beside the
// floors in `src/` puts everything together, and `cli/` stands on top.
const FLOORS = ['base', 'storage', 'core', 'surfaces', 'features'];

/** The features from the lowest to the highest. A feature may import those before it. */
const FEATURES =
  'moderation invitations files profiles revisions pages labels pins presence reviews comments proposals suggestions discussion authorship live library discovery reference uploads backlinks reading links templates sharing search transfer editor moves quotas policies organizations accounts factors trash documents webhooks audit feed applications mail settings offline administration directory'.split(
    ' ',
  );

/** Base does no I/O, but for its threads, names of hosts, and where the package lies. */
const BASE_IO = /^base\/(threads|net|package\.ts|markdown\/render-threads\.ts|text\/text-thread)/;
const IO = /^node:(fs|net|http|https|dns|child_process|worker_threads|sqlite)/;

const isBrowser = (path: string) => /(^|\/)(client|service-worker)\//.test(path);
const isStore = (path: string) => /-store\.ts$/.test(path) || path.startsWith('storage/');

function floorOf(path: string): number {
  const at = FLOORS.indexOf(path.split('/')[0] as string);
  return at >= 0 ? at : FLOORS.length + Number(path.startsWith('cli/'));
}

function featureOf(path: string): number {
  return path.startsWith('features/') ? FEATURES.indexOf(path.split('/')[1] as string) : -1;
}

interface Import {
  from: string;
  /** A path below `src`, or a package. */
  to: string;
  isPackage: boolean;
  isType: boolean;
}

function importsOf(from: string, source: string): Import[] {
  const code = withoutComments(source);
  const statements = code.matchAll(
    /(?:^|\n)\s*(?:import|export)\s+(type\s)?([\w*{}\s,$]*?)(?:\bfrom\s+)?'([^']+)'|(?:\bimport\(\s*'|@import ")([^'"]+)['"]/g,
  );
  return Array.from(statements, ([, type, names = '', still, late]) => {
    const to = (still ?? late) as string;
    const each = /^\{(.*)\}\s*$/s
      .exec(names)?.[1]
      ?.split(',')
      .filter((name) => name.trim());
    const isType = !!type || !!each?.every((name) => name.trim().startsWith('type '));
    const isPackage = !to.startsWith('.');
    return { from, to: isPackage ? to : posix.join(posix.dirname(from), to), isPackage, isType };
  });
}

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}

/** Why an import is wrong; `undefined` if it isn't. */
function faultOf({ from, to, isPackage, isType }: Import): string | undefined {
  if (isPackage) {
    if (/^kysely/.test(to) && !isStore(from)) return 'only stores build queries';
    if (/fastify/.test(to) && floorOf(from) < 3) return 'only surfaces and features know requests';
    if (floorOf(from) === 0 && IO.test(to) && !BASE_IO.test(from)) return 'base does no I/O';
    return undefined;
  }
  if (to.startsWith('../vendor/')) return undefined;
  if (isBrowser(from) && !isBrowser(to) && floorOf(to) > 0) return 'browser code';
  if (isBrowser(to) && !isBrowser(from)) return 'only browser code imports browser code';
  if (isStore(from) && /-service\.ts$/.test(to)) return 'stores know no service';
  if (floorOf(to) > floorOf(from)) return 'upwards';
  const [above, below] = [featureOf(from), featureOf(to)];
  if (above >= 0 && below > above) return 'against the order of features';
  const opens = /^storage\/(?!sql\/(sql|paginate)\.ts|blob\/blob\.ts|word-index\/)/.test(to);
  if (opens && !isType && !isStore(from) && floorOf(from) < FLOORS.length) {
    return 'only what puts everything together opens the storage';
  }
  return undefined;
}

/** The stores that may have a statement for each item, because there are few, and why. */
const FEW = new Map([
  [
    'core/document/deletion-store.ts',
    'owners whose documents are deleted together, locked in order',
  ],
]);

/**
 * Whether a store has a loop with a statement for each row, which keeps everybody waiting: its number
 * grows with the data. Loops over constants, and in parts of many rows each, are fine.
 */
function awaitsPerRow(path: string, code: string): boolean {
  if (!/-store\.ts$/.test(path) || FEW.has(path)) return false;
  if (/\.map\(async\b/.test(code)) return true;
  const loops = code.matchAll(
    /^( *)for (?:await )?\((?:const|let) [^;]*? of ([\s\S]*?)\) (\{\n[\s\S]*?^\1\}|.*)/gm,
  );
  return Array.from(loops).some(([, , over = '', body = '']) => {
    const isFixed = /^([A-Z_]+$|\[|inParts\()/.test(over);
    const inner = body.replace(/^\{|\}$/g, '');
    if (isFixed) return awaitsPerRow(path, inner);
    return /\bawait\b/.test(inner);
  });
}

/** What a file does wrong by itself. */
function faultsIn(path: string, source: string): string[] {
  const code = withoutComments(source);
  const faults = {
    'process.env is read in cli/': !path.startsWith('cli/') && /\bprocess\.env\b/.test(code),
    'normalises text of any length':
      /\.normalize\(/.test(code) &&
      !/from '[./]+(base\/text\/|text\/|\.\/)/.test(code) &&
      !(path.startsWith('base/text/') && /from '\.\/(raw-length|combining-marks)/.test(code)),
    'a name for everything': /(^|\/)(utils?|helpers?|common|misc|index)\.tsx?$/.test(path),
    'only tests import what is for tests': /\.(test|testing)\.ts'/.test(code),
    'a statement for each row': awaitsPerRow(path, code),
    'not in the order of features': path.startsWith('features/') && featureOf(path) < 0,
  };
  return Object.entries(faults).flatMap(([fault, is]) => (is ? [`${path}: ${fault}`] : []));
}

/** Import cycles, those of types included. */
function cyclesOf(imports: readonly Import[]): string[] {
  const next = Map.groupBy(imports, ({ from }) => from);
  const [done, found] = [new Set<string>(), [] as string[]];
  const visit = (path: string, trail: string[]) => {
    if (trail.includes(path)) found.push(`cycle: ${[...trail, path].join(' → ')}`);
    if (trail.includes(path) || done.has(path)) return;
    for (const { to } of next.get(path) ?? []) visit(to, [...trail, path]);
    done.add(path);
  };
  for (const path of next.keys()) visit(path, []);
  return found;
}

function faultsOf(sources: ReadonlyMap<string, string>): string[] {
  const imports = [...sources].flatMap(([path, source]) => importsOf(path, source));
  const wrong = imports.flatMap((one) => {
    const fault = faultOf(one);
    return fault ? [`${one.from} → ${one.to}: ${fault}`] : [];
  });
  const own = [...sources].flatMap(([path, source]) => faultsIn(path, source));
  return [...wrong, ...own, ...cyclesOf(imports.filter(({ isPackage }) => !isPackage))];
}

describe('The house (docs/develop/architecture.md)', () => {
  const src = fileURLToPath(new URL('../../src/', import.meta.url));
  const isTest = (path: string) => /\.(test|testing)\.tsx?$/.test(path);
  const paths = globSync('**/*.{ts,tsx,css}', { cwd: src }).filter((path) => !isTest(path));
  const sources = new Map(paths.map((path) => [path, readFileSync(src + path, 'utf8')]));

  it('imports lead downwards', () => assert.deepEqual(faultsOf(sources), []));

  for (const [name, path, source] of [
    ['an import upwards', 'core/x.ts', "import { a } from '../features/pins/a.ts';"],
    ['a type from above', 'base/x.ts', "import type { A } from '../core/a.ts';"],
    [
      'a feature that knows a higher one',
      `features/${FEATURES[0]}/x.ts`,
      "import '../search/a.ts';",
    ],
    ['a late import', 'surfaces/x.ts', "const a = await import('../features/pins/a.ts');"],
    [
      'a service that builds queries',
      'features/pins/x-service.ts',
      "import { sql } from 'kysely';",
    ],
    ['a store that knows a service', 'core/x-store.ts', "import { a } from './a-service.ts';"],
    ['a core that knows requests', 'core/x.ts', "import type { FastifyReply } from 'fastify';"],
    ['a base that reads files', 'base/x.ts', "import { readFileSync } from 'node:fs';"],
    ['a page that runs browser code', 'features/pins/x.ts', "import './client/a.ts';"],
    ['browser code that runs a service', 'features/pins/client/x.ts', "import '../a-service.ts';"],
    [
      'a script of the frame that knows a feature',
      'surfaces/web/client/x.ts',
      "void import('../../../features/pins/client/a.ts');",
    ],
    [
      'a style sheet of the frame that knows a feature',
      'surfaces/web/client/x.css',
      '@import "../../../features/pins/client/a.css";',
    ],
    [
      'a script that knows a higher feature',
      `features/${FEATURES[0]}/client/x.ts`,
      "import type { A } from '../../search/client/a.ts';",
    ],
    [
      'an opened database',
      'features/pins/x.ts',
      "import { a } from '../../storage/sql/sqlite.ts';",
    ],
    ['a look at the environment', 'core/x.ts', 'const x = process.env.X;'],
    ['a helper of tests', 'features/pins/x.ts', "import './y.testing.ts';"],
    ['a drawer', 'base/helpers.ts', ''],
    ['a circle', 'base/x.ts', "import './x.ts';"],
    ...[
      'for (const row of rows) {\n  await x(row);\n}',
      'for (const row of rows) await x(row);',
      'for (const table of TABLES) {\n  for (const row of rows) {\n    await x(row);\n  }\n}',
      'for (const { id, at } of await list(\n  db,\n)) {\n  if (id) {\n    await x(id, at);\n  }\n}',
      'await Promise.all(rows.map(async (row) => x(row)));',
    ].map((loop, n) => [`a statement for each row (${n})`, 'core/x-store.ts', loop] as const),
  ] as const) {
    it(`finds ${name}`, () => assert.equal(faultsOf(new Map([[path, source]])).length, 1));
  }

  it('allows a statement for each constant, and for many rows', () => {
    const loops = ['TABLES', '[1, 2]', 'inParts(rows)'].map(
      (over) => `for (const each of ${over}) {\n  await x(each);\n}\n`,
    );
    const source = `${loops.join('')}for (const row of await list()) {\n  all.push(row);\n}`;
    assert.deepEqual(faultsOf(new Map([['core/x-store.ts', source]])), []);
  });
});
