import { strict as assert } from 'node:assert';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { EXCEPTIONS, importsOf, layerOf, type Sources, violations } from './architecture-rules.ts';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));

/** All source files, including the browser's. */
function readSources(): Sources {
  const paths = globSync('**/*.{ts,tsx}', { cwd: SRC });
  return new Map(paths.map((path) => [path, readFileSync(SRC + path, 'utf8')]));
}

describe('Import rules (docs/develop/architecture.md)', () => {
  const sources = readSources();

  it('the sources follow the rules', () => {
    assert.ok(sources.size > 60);
    assert.deepEqual(violations(sources), []);
  });

  it('every import leads to an existing file', () => {
    for (const [path, source] of sources) {
      for (const { to, isPackage } of importsOf(path, source)) {
        assert.ok(isPackage || sources.has(to), `${path} → ${to}`);
      }
    }
  });

  it('every exception is still needed', () => {
    const all = [...sources].flatMap(([path, source]) => importsOf(path, source));
    for (const exception of Object.keys(EXCEPTIONS)) {
      assert.ok(
        all.some(({ from, to }) => `${from} → ${to}` === exception),
        exception,
      );
    }
  });

  it('no layer is empty', () => {
    const layers = Map.groupBy(sources.keys(), layerOf);
    for (const [layer, least] of Object.entries({
      ...{
        pure: 12,
        store: 8,
        schema: 4,
        service: 8,
        storage: 8,
        surface: 25,
        ground: 20,
        client: 30,
      },
    })) {
      const paths = layers.get(layer as ReturnType<typeof layerOf>) ?? [];
      assert.ok(paths.length >= least, `${layer}: ${paths}`);
    }
  });
});

/** Files that break one rule each, and the expected violation. */
const BROKEN: Record<string, [files: Record<string, string>, found: string[]]> = {
  'a pure file that imports a service': [
    { 'document/name.ts': "import { x } from './document-service.ts';" },
    ['document/name.ts → document/document-service.ts'],
  ],
  'a pure file that imports a store’s types': [
    { 'document/access-rules.ts': "import type { Row } from './document-store.ts';" },
    ['document/access-rules.ts → document/document-store.ts'],
  ],
  'a pure file that asks the clock': [
    { 'invitation/invitation.ts': 'export const now = () => Date.now();' },
    ['invitation/invitation.ts: impure'],
  ],
  'a file that normalises what nothing bounds': [
    { 'account/x.ts': "export const nfc = (text: string) => text.normalize('NFC');" },
    ['account/x.ts: normalises text of any length'],
  ],
  'a pure file with I/O': [
    { 'pagination/result-page.ts': "import { readFileSync } from 'node:fs';" },
    ['pagination/result-page.ts → node:fs'],
  ],
  'a store that imports a service': [
    { 'file/file-store.ts': "import { x } from './file-service.ts';" },
    ['file/file-store.ts → file/file-service.ts'],
  ],
  'a service that opens the storage': [
    { 'account/x-service.ts': "import { openSqlite } from '../storage/sql/sqlite.ts';" },
    ['account/x-service.ts → storage/sql/sqlite.ts'],
  ],
  'a service that names the tables': [
    { 'account/x-service.ts': "import type { Tables } from '../storage/sql/tables.ts';" },
    ['account/x-service.ts → storage/sql/tables.ts'],
  ],
  'a service that builds queries': [
    { 'account/x-service.ts': "import { sql } from 'kysely';" },
    ['account/x-service.ts → kysely'],
  ],
  'a service that knows a surface': [
    { 'account/x-service.ts': "import { x } from '../rest/body.ts';" },
    ['account/x-service.ts → rest/body.ts'],
  ],
  'a service that knows requests': [
    { 'account/x-service.ts': "import type { FastifyRequest } from 'fastify';" },
    ['account/x-service.ts → fastify'],
  ],
  'a surface that queries a store': [
    { 'rest/x.ts': "import {\n  findX,\n  type X,\n} from '../document/x-store.ts';" },
    ['rest/x.ts → document/x-store.ts'],
  ],
  'a surface that opens the storage, late': [
    { 'mcp/x.ts': "const x = await import('../storage/sql/sql.ts');" },
    ['mcp/x.ts → storage/sql/sql.ts'],
  ],
  'a surface that imports another': [
    { 'web/x.ts': "import { x } from '../rest/pagination.ts';" },
    ['web/x.ts → rest/pagination.ts'],
  ],
  'a surface’s type in another': [
    { 'oauth/x.ts': "import type { X } from '../mcp/x.ts';" },
    ['oauth/x.ts → mcp/x.ts'],
  ],
  'a store passed on': [
    { 'render/x.ts': "export { findX } from '../document/x-store.ts';\nexport const y = 1;" },
    ['render/x.ts → document/x-store.ts'],
  ],
  'ground that knows a service': [
    { 'http/x.ts': "import { x } from '../account/token-service.ts';" },
    ['http/x.ts → account/token-service.ts'],
  ],
  'a circle': [
    {
      'http/a.ts': "import { b } from './b.ts';",
      'http/b.ts': "import type { C } from './c.ts';",
      'http/c.ts': "import './a.ts';",
    },
    ['cycle: http/a.ts → http/b.ts → http/c.ts → http/a.ts'],
  ],
  'a drawer for everything': [
    { 'document/helpers.ts': 'export const x = 1;', 'utils.ts': 'export const x = 1;' },
    ['document/helpers.ts: name', 'utils.ts: name', 'utils.ts: belongs in a folder'],
  ],
  'a script of the browser that imports a service': [
    { 'web/client/x.ts': "import { x } from '../../document/document-service.ts';" },
    ['web/client/x.ts → document/document-service.ts'],
  ],
  'a page that imports a script of the browser': [
    { 'web/x.ts': "import { x } from './client/x.ts';" },
    ['web/x.ts → web/client/x.ts'],
  ],
  'a file without a folder': [
    { 'clock.ts': 'export const x = 1;' },
    ['clock.ts: belongs in a folder'],
  ],
  'a barrel': [
    { 'http/all.ts': "// all of it\nexport * from './a.ts';\nexport { b } from './b.ts';\n" },
    ['http/all.ts: barrel'],
  ],
  'a look at the environment': [
    { 'http/x.ts': 'const x = process.env.X;', 'cli/x.ts': 'f(process.env.HOME);' },
    ['http/x.ts: process.env', 'cli/x.ts: process.env'],
  ],
};

describe('The check of the import rules finds violations', () => {
  for (const [name, [files, found]] of Object.entries(BROKEN)) {
    it(name, () => assert.deepEqual(violations(new Map(Object.entries(files))), found));
  }

  it('and accepts similar code that is allowed', () => {
    const files = {
      'cli/x.ts': 'readConfig(process.env);',
      'web/x.ts': "import type { Row } from '../document/x-store.ts';\n// process.env\n",
      'rest/x.ts': "import { type A, type B } from '../document/x-store.ts';",
      'account/x-service.ts': "import type { Reader } from '../storage/sql/sql.ts';",
      'http/x.ts': "/* import { x } from '../storage/sql/sql.ts'; */ export const x = 1;",
    };
    assert.deepEqual(violations(new Map(Object.entries(files))), []);
  });
});
