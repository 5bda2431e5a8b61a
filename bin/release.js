// Makes what operators install, in dist/release: the packages, the image, the list of what they are
// made of, the notes, and their checksums. From the same commit it makes the same bytes.
//
// npm run release                   with an image, made by docker, podman or buildah
// npm run release -- --no-image     without it
// RELEASE_KEY=~/.ssh/id_ed25519     signs the checksums with this key of SSH
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const into = `${root}dist/release`;
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
const run = (command, ...args) =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });

if (run('git', 'status', '--porcelain').trim() !== '') {
  fail('there are changes that aren’t committed, so nobody could make the same release.');
}
const notes = notesOf(readFileSync(`${root}CHANGELOG.md`, 'utf8'));
const committedAt = run('git', 'log', '-1', '--format=%ct').trim();

rmSync(into, { recursive: true, force: true });
mkdirSync(into, { recursive: true });
run('npm', 'run', 'build');
run('npm', 'run', 'pack', '--', '--pack-destination', into);
run('npm', 'pack', './briefs-cli', '--pack-destination', into);
writeFileSync(`${into}/briefs-${version}.cdx.json`, materials());
writeFileSync(`${into}/NOTES.md`, notes);
if (!process.argv.includes('--no-image')) makeImage(`${into}/briefs-${version}-image.tar`);

const files = readdirSync(into).sort();
const sums = files.map((name) => {
  const digest = createHash('sha256').update(readFileSync(`${into}/${name}`));
  return `${digest.digest('hex')}  ${name}\n`;
});
writeFileSync(`${into}/SHA256SUMS`, sums.join(''));
const { RELEASE_KEY } = process.env;
if (RELEASE_KEY)
  run('ssh-keygen', '-Y', 'sign', '-f', RELEASE_KEY, '-n', 'file', `${into}/SHA256SUMS`);
else console.error('Not signed: RELEASE_KEY isn’t set.');
console.log(sums.join(''));

/** Returns what the change log says of this version. */
function notesOf(changes) {
  const sections = changes.split(/^(?=## )/m);
  const section = sections.find((each) => each.startsWith(`## ${version} `));
  if (!section) fail(`CHANGELOG.md has no heading "## ${version}" with a date.`);
  return section;
}

/** Returns the list of packages, without what differs each time. */
function materials() {
  const list = JSON.parse(run('npm', 'sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'));
  delete list.serialNumber;
  // Otherwise the folder's.
  list.metadata.component.name = 'briefs';
  list.metadata.timestamp = new Date(committedAt * 1000).toISOString();
  return `${JSON.stringify(list, null, 2)}\n`;
}

/** Writes the image as an archive that `docker load` and `podman load` read. */
function makeImage(archive) {
  const builder = ['docker', 'podman', 'buildah'].find(
    (name) => spawnSync(name, ['info'], { stdio: 'ignore' }).status === 0,
  );
  if (!builder)
    fail('neither docker nor podman nor buildah runs here. Without an image: --no-image.');
  const tag = `briefs:${version}`;
  const from = ['-f', 'deploy/Dockerfile', '-t', tag];
  if (builder === 'docker') {
    const output = `type=docker,dest=${archive},rewrite-timestamp=true`;
    const at = `SOURCE_DATE_EPOCH=${committedAt}`;
    run(builder, 'buildx', 'build', ...from, '--build-arg', at, '--output', output, '.');
  } else {
    run(builder, 'build', ...from, '--timestamp', committedAt, '.');
    run(builder, 'push', tag, `docker-archive:${archive}:${tag}`);
  }
}

function fail(message) {
  console.error(`release: ${message}`);
  process.exit(1);
}
