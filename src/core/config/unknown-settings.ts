import { distance } from 'fastest-levenshtein';
import { ConfigError } from '../../base/config-error.ts';
import { SETTINGS } from './settings.ts';

/**
 * Variables of people who use a service: their agents' token (docs/agents/hosts.md), and the server of
 * the client command (docs/guide/command-line.md). No settings, but in the same shells.
 */
const OF_CLIENTS = ['BRIEFS_TOKEN', 'BRIEFS_SERVER'];

/** Variables of other programs that resemble a setting. */
const OF_OTHERS = ['REPORT'];

/**
 * Prefixes of our settings, to find misspelled ones among other programs' variables. RENDER_ isn't
 * one of them, because a hosting platform sets variables with it. For services
 * named smtp or mail, Kubernetes sets SMTP_SERVICE_… and SMTP_PORT…. The last two were settings.
 */
const FAMILIES =
  /^(AUDIT|BRIEFS|QUOTA|RATE_LIMIT|INVITATION|OIDC|SCIM|SIGN|REVISION|TRASH|WEBHOOK|PAGE)_|^(SMTP|MAIL)_(?!SERVICE_|PORT)|^(DNS_SERVERS|NAMESPACE_RESERVATION)$/;

/**
 * Other variables allowed in a settings file: for the AWS SDK, PostgreSQL's driver, Node and the
 * system.
 */
const OTHERS = /^(AWS_|PG|NODE_|UV_|SSL_CERT_|LC_|(LANG|TZ|TMPDIR|PATH|HOME)$|\w+_PROXY$)/i;

/**
 * Refuses misspelled settings among other programs' variables.
 *
 * @throws ConfigError that names the first unknown setting
 */
export function refuseUnknownInEnvironment(names: readonly string[]): void {
  refuseUnknown(names, (name) => FAMILIES.test(name));
}

/**
 * Refuses all unknown names in a settings file, except a few other variables.
 *
 * @throws ConfigError that names the first unknown setting
 */
export function refuseUnknownInFile(names: readonly string[]): void {
  refuseUnknown(names, (name) => !OTHERS.test(name));
}

/** Refuses unknown names that are ours, and misspellings of settings. */
function refuseUnknown(names: readonly string[], isOurs: (name: string) => boolean): void {
  const known = Object.keys(SETTINGS);
  for (const name of names) {
    if ([...known, ...OF_CLIENTS, ...OF_OTHERS].includes(name)) continue;
    const meant = known.find((candidate) => isMisspelling(name, candidate));
    if (meant) throw new ConfigError(`${name}: unknown setting (did you mean ${meant}?)`);
    if (isOurs(name)) {
      throw new ConfigError(`${name}: unknown setting (known are ${known.join(', ')})`);
    }
  }
}

/**
 * The largest edit distance of a misspelling, by the setting's length. Shorter names resemble
 * others by chance.
 */
const MAX_DISTANCES: [fromLength: number, maxDistance: number][] = [
  [10, 2],
  [7, 1],
];

function isMisspelling(name: string, setting: string): boolean {
  if (name.length === setting.length && lettersOf(name) === lettersOf(setting)) return true;
  const [, max] = MAX_DISTANCES.find(([fromLength]) => setting.length >= fromLength) ?? [];
  return max !== undefined && distance(name, setting) <= max;
}

/** Sorts the letters, to find names with swapped letters. */
function lettersOf(name: string): string {
  return [...name].sort().join('');
}
