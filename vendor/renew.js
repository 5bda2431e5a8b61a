/**
 * Fetches the files of this folder again, in the versions below: `npx node vendor/renew.js`. Packages
 * that are large for the little that is used of them are kept here, so that nobody has to install
 * them. README.md says what is here.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'rolldown';

const LUCIDE = '1.62.0';
const MERMAID = '11.17.2';

/** Icons that style sheets refer to. */
const PICTURES = ['info', 'lightbulb', 'message-square-warning', 'octagon-alert', 'triangle-alert'];

const here = import.meta.dirname;
const work = mkdtempSync(join(tmpdir(), 'briefs-vendor-'));
const packages = join(work, 'node_modules');

try {
  const wanted = [`lucide-static@${LUCIDE}`, `mermaid@${MERMAID}`];
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...wanted], {
    cwd: work,
    stdio: 'inherit',
    // On Windows, npm is a script.
    shell: process.platform === 'win32',
  });
  renewIcons();
  await renewMermaid();
} finally {
  rmSync(work, { recursive: true });
}

/**
 * Writes the markup inside each icon that `icons.json` names, which pages draw, and the pictures that
 * style sheets refer to.
 */
function renewIcons() {
  const names = Object.keys(JSON.parse(readFileSync(join(here, 'lucide/icons.json'), 'utf8')));
  const outlines = {};
  for (const name of names.sort()) {
    const svg = readFileSync(join(packages, `lucide-static/icons/${name}.svg`), 'utf8');
    const inside = svg.slice(svg.indexOf('>', svg.indexOf('<svg')) + 1, svg.indexOf('</svg>'));
    outlines[name] = inside.replace(/\n\s*/g, '');
  }
  writeFileSync(join(here, 'lucide/icons.json'), `${JSON.stringify(outlines, null, 2)}\n`);
  for (const name of PICTURES) {
    const file = `${name}.svg`;
    copyFileSync(join(packages, 'lucide-static/icons', file), join(here, 'lucide', file));
  }
  const license = readFileSync(join(packages, 'lucide-static/LICENSE'), 'utf8');
  writeFileSync(join(here, 'lucide/LICENSE'), `lucide-static ${LUCIDE}\n\n${license}`);
}

/**
 * Bundles Mermaid with the packages that it needs, each diagram type in a file of its own, and writes
 * the licences of all that is inside. Its own bundle comes with an older sanitizer.
 */
async function renewMermaid() {
  const to = join(here, 'mermaid');
  rmSync(join(to, 'chunks'), { recursive: true, force: true });
  const { output } = await build({
    input: { mermaid: join(packages, 'mermaid/dist/mermaid.core.mjs') },
    platform: 'browser',
    output: { dir: to, minify: true, chunkFileNames: 'chunks/[name].js', comments: false },
    logLevel: 'warn',
  });
  const paths = output.flatMap(({ moduleIds }) => moduleIds ?? []);
  const folders = paths.flatMap(
    (path) => /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/.exec(path)?.[0] ?? [],
  );
  const licenses = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    const [file] = globSync('{LICENSE,LICENCE,license,licence}*', { cwd: folder });
    const text = file ? readFileSync(join(folder, file), 'utf8').trim() : `License: ${license}`;
    return `${name} ${version}\n\n${text}\n`;
  });
  writeFileSync(join(to, 'LICENSES'), licenses.join(`\n${'-'.repeat(80)}\n\n`));
}
