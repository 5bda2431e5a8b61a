import { globSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

/** Tests that one pass runs, on one kind of back ends. */
export interface Pass {
  stack: 'embedded' | 'servers';
  /** Globs of compiled tests, below `dist`. */
  files: string[];
  /** Globs of tests that it leaves out. */
  except?: string[];
}

const SECURITY_OF_SERVERS = [
  'test/security/{races,signed-addresses,stale-grants,upload-sniffing}.test.js',
  'test/security/{fuzz,model}/*.test.js',
];

const EVERYTHING = '{src,bench,test}/**/*.test.js';

/** Tests of what happens when servers fail or several processes share them. */
const ONLY_SERVERS = ['src/storage/backup/moving.test.js', 'test/replicas/*.test.js'];

const DURABILITY = 'test/durability/*.test.js';

/**
 * Tests that take long for what a change usually breaks: attacks by amount or on every route, and
 * programs that are installed, started and killed (`TEST_TIMES=1` says what each file takes).
 */
const SLOW = [
  'bench/*.test.js',
  'src/base/markdown/brief-replacements.test.js',
  'src/base/text/{equal-passages,hostile,moves-long}.test.js',
  'src/cli/{briefs,operations}.test.js',
  'src/features/documents/races-processes.test.js',
  'src/features/mail/interrupted.test.js',
  'src/features/transfer/export.test.js',
  'src/storage/backup/*.test.js',
  'src/storage/blob/s3.test.js',
  'src/storage/rate-limit/redis.test.js',
  'src/surfaces/rest/{bad-input,limits}.test.js',
  'src/surfaces/web/budgets.test.js',
  'test/command-line/!(docs|memory).test.js',
  'test/deploy.test.js',
  'test/generated-clients/*.test.js',
  'test/guide.test.js',
  'test/security/{fuzz,model}/*.test.js',
  'test/security/{cross-site,existence-leaks,hostile-backup,mass-assignment,mutation-xss}.test.js',
  'test/security/{object-references,races}.test.js',
  'test/security/{secrets-in-logs,slow-clients,slow-input,slow-name-servers,stale-grants}.test.js',
];

/** All tests in browsers, but the journey of one person through the web app. */
const OTHER_JOURNEYS = ['{src,test}/**/!(journeys).browser.test.js'];

/**
 * Tests for which the back end matters. Screens show the same on all, and so do requests that are
 * refused before a row is read.
 */
const SERVERS = [
  ...ONLY_SERVERS,
  'src/cli/passwords.test.js',
  'src/core/document/document-list.test.js',
  'src/core/identity/keys.test.js',
  'src/features/accounts/!(password|token-settings|*.browser).test.js',
  'src/features/applications/!(addresses|connect|*.browser).test.js',
  'src/features/documents/!(old-addresses).test.js',
  'src/features/editor/edit.test.js',
  'src/features/feed/!(inbox).test.js',
  'src/features/files/{files,forms,image-metadata,streaming}.test.js',
  'src/features/{invitations,organizations,search,sharing,webhooks}/!(*-page|*-settings|*-state).test.js',
  'src/features/library/!(lists).test.js',
  'src/features/{moves,pins,profiles,revisions,trash}/!(*-page).test.js',
  'src/features/pages/{content,names,routes,stored}.test.js',
  'src/features/{comments,suggestions,proposals,reviews,discussion}/!(mentions|*-page|*.browser).test.js',
  'src/features/transfer/export.test.js',
  'test/releases/releases.test.js',
  'src/storage/{backup/carried,rate-limit/processes,sql/schema,sql/schema-changes}.test.js',
  'src/surfaces/mcp/protocol.test.js',
  'src/surfaces/rest/{conditional,good-input,long-answer,pagination,rate-limit,scopes}.test.js',
  'src/surfaces/web/web-address.test.js',
  ...SECURITY_OF_SERVERS,
];

const DURABILITY_PASSES: Pass[] = [
  {
    stack: 'embedded',
    files: ['test/durability/{backup,disk,disk-full,kill,stop,webhooks}.test.js'],
  },
  { stack: 'servers', files: ['test/durability/{backup,database,kill,stop,webhooks}.test.js'] },
];

/** The passes of each suite. */
export const SUITES = {
  /** What a developer runs after each change. */
  quick: [
    {
      stack: 'embedded',
      files: [EVERYTHING],
      except: [...ONLY_SERVERS, DURABILITY, ...SLOW, ...OTHER_JOURNEYS],
    },
  ],
  /** What must pass before a change is released. */
  all: [
    { stack: 'embedded', files: [EVERYTHING], except: [...ONLY_SERVERS, DURABILITY] },
    { stack: 'servers', files: SERVERS },
    ...DURABILITY_PASSES,
  ],
  /** Hostile input and callers (docs/develop/security.md). */
  security: [
    { stack: 'embedded', files: ['test/security/**/*.test.js'] },
    { stack: 'servers', files: SECURITY_OF_SERVERS },
  ],
  /** Random operations, checked against a model of who can see what. */
  access: onBoth(['test/security/model/*.test.js']),
  /** Random requests and calls, made from the OpenAPI document and the list of tools. */
  fuzz: onBoth(['test/security/fuzz/*.test.js']),
  /** What happens to data when processes, servers and disks fail (docs/develop/durability.md). */
  durability: DURABILITY_PASSES,
} satisfies Record<string, Pass[]>;

function onBoth(files: string[]): Pass[] {
  return [
    { stack: 'embedded', files },
    { stack: 'servers', files },
  ];
}

/**
 * Lists the test files that patterns match, the slow ones first.
 *
 * @throws Error naming a pattern that matches no file: the file may have been renamed
 */
export function filesOf(patterns: string[], except: string[], directory: string): string[] {
  const matches = (pattern: string) =>
    alternativesOf(pattern).flatMap((one) => {
      const found = globSync(one, { cwd: directory });
      if (found.length === 0) throw new Error(`No test file matches ${one}.`);
      return found.map((path) => resolve(directory, path));
    });
  const left = new Set(except.flatMap(matches));
  const files = patterns.flatMap(matches).filter((path) => !left.has(path));
  // Slow files first: those with a browser, then long ones.
  const weight = (path: string) =>
    statSync(path).size * (path.endsWith('.browser.test.js') ? 1_000 : 1);
  return [...new Set(files)].sort((a, b) => weight(b) - weight(a));
}

/** Writes out the alternatives in braces: each has to match. */
function alternativesOf(pattern: string): string[] {
  const [braces, inside] = /\{([^{}]*)\}/.exec(pattern) ?? [];
  if (braces === undefined || inside === undefined) return [pattern];
  return inside.split(',').flatMap((one) => alternativesOf(pattern.replace(braces, one)));
}
