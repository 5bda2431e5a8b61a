import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { startService } from '../harness.ts';
import { TOOLS, toolsMissing } from '../tools.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../../..');
const SOURCES = join(ROOT, 'test/generated-clients');
const WORK = join(import.meta.dirname, 'generated');
const GENERATORS = join(TOOLS, 'node_modules');

const COMPILER_OPTIONS = {
  strict: true,
  module: 'nodenext',
  target: 'es2024',
  lib: ['es2024', 'dom'],
  types: ['node'],
  skipLibCheck: true,
  outDir: 'out',
  rootDir: '.',
};

/** Programs written against a generated client; each prints one line of JSON. */
const CLIENTS = [
  {
    name: 'openapi-typescript with openapi-fetch',
    generate: ['openapi-typescript/bin/cli.js', 'openapi.json', '--output', 'schema.d.ts'],
    program: 'openapi-fetch-program',
  },
  {
    name: '@hey-api/openapi-ts',
    generate: ['@hey-api/openapi-ts/bin/run.js', '--input', 'openapi.json', '--output', 'client'],
    program: 'hey-api-program',
  },
];

describe('Generated clients', { skip: toolsMissing }, async () => {
  const service = await startService();
  after(() => service.stop());
  const token = (await service.user('ada')).token ?? '';
  rmSync(WORK, { recursive: true, force: true });
  mkdirSync(WORK);
  symlinkSync(GENERATORS, join(WORK, 'node_modules'));
  writeFileSync(join(WORK, 'package.json'), '{"type": "module"}');
  const document = await (await fetch(`${service.baseUrl}/openapi.json`)).text();
  writeFileSync(join(WORK, 'openapi.json'), document);

  for (const { name, generate, program } of CLIENTS) {
    it(`${name}: a strict program compiles and works`, async () => {
      const [script = '', ...options] = generate;
      await run(process.execPath, [join(GENERATORS, script), ...options], { cwd: WORK });
      cpSync(join(SOURCES, `${program}.ts.txt`), join(WORK, `${program}.ts`));
      const project = { compilerOptions: COMPILER_OPTIONS, files: [`${program}.ts`] };
      const config = join(WORK, `${program}.json`);
      writeFileSync(config, JSON.stringify(project));
      const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
      await run(process.execPath, [compiler, '--project', config], { cwd: dirname(config) }).catch(
        ({ stdout }) => assert.fail(stdout),
      );
      const compiled = join(WORK, `out/${program}.js`);
      const { stdout } = await run(process.execPath, [compiled, service.baseUrl, token]);
      assert.deepEqual(JSON.parse(stdout), {
        created: `ada/${program}`,
        content: '# Written by a generated client',
        revision: '2',
        visibility: 'private',
        listed: [program],
        missing: 'NOT_FOUND',
      });
      const deleted = await service.client(token).delete(`/briefs/ada/${program}`);
      assert.equal(deleted.status, 204);
    });
  }
});
