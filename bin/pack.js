// Makes a package of what runs: "npm run pack -- --pack-destination /tmp". It has a command, which
// this checkout must not have: "npx briefs" would install the checkout as a package of its own.
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILES = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'bin/briefs.js',
  'deploy',
  'dist/client',
  'dist/openapi.json',
  'dist/server',
  'docs/guide',
  'docs/operate',
];
const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));
const into = path('dist/package');

rmSync(into, { recursive: true, force: true });
for (const file of FILES) {
  const filter = (from) => !from.endsWith('.map');
  cpSync(path(file), `${into}/${file}`, { recursive: true, filter });
}
const {
  scripts,
  devDependencies,
  workspaces,
  private: _,
  ...kept
} = JSON.parse(readFileSync(path('package.json'), 'utf8'));
const manifest = { ...kept, bin: { briefs: 'bin/briefs.js' } };
writeFileSync(`${into}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
const shell = process.platform === 'win32';
const [, , ...options] = process.argv;
const args = ['pack', into, ...options];
process.exitCode = spawnSync('npm', args, { stdio: 'inherit', shell }).status ?? 1;
