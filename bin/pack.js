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
const copy = (file) =>
  cpSync(path(file), `${into}/${file}`, {
    recursive: true,
    filter: (from) => !from.endsWith('.map'),
  });
FILES.forEach(copy);
const {
  scripts,
  devDependencies,
  workspaces,
  private: _,
  ...kept
} = JSON.parse(readFileSync(path('package.json'), 'utf8'));
// What it needs goes in, so that installing it needs no registry.
const { packages } = JSON.parse(readFileSync(path('package-lock.json'), 'utf8'));
for (const [folder, { dev, optional, devOptional }] of Object.entries(packages)) {
  if (!folder.startsWith('node_modules/') || dev || optional || devOptional) continue;
  copy(folder);
}
const manifest = {
  ...kept,
  bin: { briefs: 'bin/briefs.js' },
  bundleDependencies: Object.keys(kept.dependencies),
};
writeFileSync(`${into}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
const shell = process.platform === 'win32';
const [, , ...options] = process.argv;
const args = ['pack', into, ...options];
process.exitCode = spawnSync('npm', args, { stdio: 'inherit', shell }).status ?? 1;
