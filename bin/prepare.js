// Runs at the end of "npm ci". Builds, unless what builds was left out ("--omit=dev"): then dist/ must
// come from another machine.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const root = new URL('../', import.meta.url);

if (existsSync(new URL('node_modules/typescript', root))) {
  const shell = process.platform === 'win32';
  process.exitCode =
    spawnSync('npm', ['run', 'build'], { cwd: root, stdio: 'inherit', shell }).status ?? 1;
} else if (!existsSync(new URL('dist/server/briefs.js', root))) {
  console.error(
    'briefs: without development packages, dist/server, dist/client and dist/openapi.json must be here, ' +
      'built on another machine (docs/operate/install.md). To build here: npm ci --include=dev',
  );
  process.exitCode = 1;
}
