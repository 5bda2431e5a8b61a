import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = process.cwd();

/** The output folder of `npm run build:client`. */
export const CLIENT_DIR = join(ROOT, 'dist/client');
export const MANIFEST = join(CLIENT_DIR, 'manifest.json');

/** Why tests of the built client can't run; false if they can, as they must in CI. */
export const clientMissing: string | false = missing(
  existsSync(MANIFEST),
  'the web client is not built (npm run build:client)',
);

/** Full Chromium, including features such as the PDF viewer. */
export const WHOLE_CHROMIUM = '/usr/bin/chromium';

/** Headless Chromium: the same engine in half the time. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';

/** The path of Chromium. */
export const CHROMIUM =
  process.env.CHROMIUM_PATH ?? (existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : WHOLE_CHROMIUM);

/** Why browser tests can't run; false if they can. */
export const browserMissing: string | false = missing(
  existsSync(CHROMIUM),
  `there is no Chromium at ${CHROMIUM} (CHROMIUM_PATH)`,
);

function missing(present: boolean, what: string): string | false {
  if (present) return false;
  if (process.env.REQUIRE_BACKENDS) throw new Error(`REQUIRE_BACKENDS is set, but ${what}.`);
  console.warn(`\n!!! SKIPPED: ${what}.\n`);
  return what;
}

/** Why tests that need full Chromium can't run; false if they can. */
export const wholeBrowserMissing: string | false = missing(
  existsSync(WHOLE_CHROMIUM),
  `there is no Chromium at ${WHOLE_CHROMIUM}`,
);

/** A source file of the client, as written. */
export function clientSource(name: string): string {
  return readFileSync(join(ROOT, 'src/surfaces/web/client', name), 'utf8');
}

/** The bytes at an asset's address. */
export function builtFile(url: string): Buffer {
  return readFileSync(join(CLIENT_DIR, url));
}
