/** The source text of each file, by its path below `src`. */
export type Sources = Map<string, string>;

export interface Import {
  from: string;
  /** A path below `src`, or the name of a package. */
  to: string;
  isPackage: boolean;
  /** Whether it imports only types, and so doesn't exist at run time. */
  typeOnly: boolean;
}

/** Files without clock, randomness or I/O. */
const PURE_BY_FOLDER: Record<string, string> = {
  '.': 'errors',
  account:
    'last-use means namespace password-rules picture profile scope scope-descriptions token user-agent username',
  authorization: 'client-metadata lifetimes public-address redirect-uri resources',
  config: 'addresses',
  crypto: 'hash-secret mac seal',
  document:
    'access-rules addresses document-moved document-ref html-title kind library-sort name shown-title signed-address',
  'document/feed': 'concerned event',
  'document/label': 'label',
  'document/review': 'mentions protection review review-access sight suggestion-digest thread',
  'document/revision': 'revision revision-name writer',
  'document/search':
    'choose-next excerpt forgiving-match search-query search-terms search-text search-words time-budget typing-errors',
  'document/sharing': 'link',
  'document/transfer': 'import-rules',
  'document/upload': 'ticket',
  file: 'content-type image-metadata image-pixels',
  invitation: 'email-invitation invitation',
  limits: 'fair-queue slots',
  mail: 'address-token email-address mail security-notice unsubscribe-token',
  organization: 'organization-access roles',
  pagination: 'result-page result-page-schema',
  runtime: 'thread-pool',
  schema: 'fields id',
  'storage/blob': 'blob-key',
  'storage/rate-limit': 'redis-url',
  text: 'anchor changes character-start closest combining-marks conflict-lines edits line-hunks merge moved occurrences page-quotes passage-search patience pieces port quote-search raw-length repeated-words sections shorten shown-name unified-diff without-space',
  time: 'duration',
  web: 'palette-shortcut',
  webhook: 'retry signature webhook-url',
};

const PURE = new Set(
  Object.entries(PURE_BY_FOLDER).flatMap(([folder, names]) =>
    names.split(' ').map((name) => (folder === '.' ? `${name}.ts` : `${folder}/${name}.ts`)),
  ),
);

/** What pure files may import from packages: functions that depend only on their arguments. */
const PURE_PACKAGES = [
  'typebox',
  'ms',
  'htmlparser2',
  'file-type',
  'uuid',
  'node:crypto',
  'node:url',
  'node:zlib',
  'ipaddr.js',
  'diff',
  'fastest-levenshtein',
  'github-slugger',
];

const IMPURE =
  /\bnew Date\(\)|\bDate\.now\b|\bMath\.random\b|\brandom(Bytes|UUID|Int)\b|\bprocess\./;

const NOUNS = /^(document|organization|account|authorization|file|invitation|mail|webhook)\//;
const SURFACES = /^(rest|web|render|cli|mcp|oauth|upload)\//;

/** Justified exceptions to the rules, as `from → to`. */
export const EXCEPTIONS: Record<string, string> = {
  'cli/context.ts → runtime/open-context.ts': 'a command opens what the service opens',
  'app.ts → account/namespace-service.ts': 'the process starts scheduled jobs',
  'app.ts → authorization/sweep-service.ts': 'the process starts scheduled jobs',
  'app.ts → document/feed/feed.ts': 'the process starts background jobs',
  'app.ts → document/feed/feed-service.ts': 'the process starts scheduled jobs',
  'app.ts → document/review/carrier.ts': 'the process starts background jobs',
  'app.ts → document/revision/packer.ts': 'the process starts background jobs',
  'app.ts → document/search/indexer.ts': 'the process starts background jobs',
  'app.ts → document/sharing/link-service.ts': 'the process starts scheduled jobs',
  'app.ts → document/upload/ticket-service.ts': 'the process starts scheduled jobs',
  'app.ts → document/trash/trash-service.ts': 'the process starts scheduled jobs',
  'app.ts → invitation/email-invitation-service.ts': 'the process starts scheduled jobs',
  'app.ts → mail/mailer.ts': 'the process starts background jobs',
  'app.ts → mail/smtp.ts': 'the process starts background jobs',
  'app.ts → webhook/sender.ts': 'the process starts background jobs',
  'app.ts → webhook/sweep-service.ts': 'the process starts scheduled jobs',
  'app.ts → file/sweep.ts': 'the process starts scheduled jobs',
  'storage/word-index/sqlite-word-index.ts → runtime/task-threads.ts':
    'the index runs its tasks on the usual worker threads',
  'cli/serve.ts → main.ts': 'serve is the launcher’s command',
  'cli/backup.ts → runtime/open-context.ts':
    'a restore replaces the database instead of opening it',
  'cli/backup.ts → storage/backup/backup.ts': 'backups copy rows and blobs and bypass the services',
  'cli/backup.ts → storage/backup/restore.ts':
    'backups copy rows and blobs and bypass the services',
};

/** Files that may read the environment, and how. */
const ENVIRONMENT: [path: RegExp, use: RegExp][] = [
  [/^cli\//, /readConfig\(process\.env\)/],
  // Reports that the settings can't be read.
  [/^cli\/briefs\.ts$/, /process\.env\.LOG_LEVEL === 'debug'/],
  // Settings from a file are added to the environment.
  [/^cli\/briefs\.ts$/, /process\.env\[name\] \?\?= text/],
];

type Layer =
  | 'pure'
  | 'store'
  | 'schema'
  | 'service'
  | 'storage'
  | 'surface'
  | 'ground'
  | 'launcher'
  | 'client';

/** The only files directly in `src/`; all others belong in a folder. */
const TOP_LEVEL = ['app.ts', 'context.ts', 'errors.ts', 'main.ts'];

export function layerOf(path: string): Layer {
  if (PURE.has(path)) return 'pure';
  if (path.startsWith('storage/')) return 'storage';
  if (path.startsWith('web/client/')) return 'client';
  if (SURFACES.test(path)) return 'surface';
  if (['main.ts', 'app.ts', 'runtime/open-context.ts'].includes(path)) return 'launcher';
  if (!NOUNS.test(path)) return 'ground';
  if (path.endsWith('-store.ts')) return 'store';
  return path.endsWith('-schema.ts') ? 'schema' : 'service';
}

/**
 * The layers that each layer may import at run time, and those it may import types from. `ground` is
 * what no other layer claims.
 */
const MAY_IMPORT: Record<Layer, { values: Layer[]; types: Layer[] }> = {
  pure: { values: ['pure'], types: [] },
  store: { values: ['pure', 'store', 'storage'], types: [] },
  schema: { values: ['pure', 'schema'], types: ['store'] },
  service: { values: ['pure', 'store', 'schema', 'service', 'ground'], types: ['storage'] },
  storage: { values: ['pure', 'storage'], types: ['ground'] },
  surface: { values: ['pure', 'schema', 'service', 'ground', 'surface'], types: ['store'] },
  ground: { values: ['pure', 'ground'], types: ['storage'] },
  launcher: { values: ['launcher', 'surface', 'ground', 'storage', 'pure'], types: [] },
  // The browser's code is a separate program and shares only pure code with the server.
  client: { values: ['client', 'pure'], types: [] },
};

/** The handles for queries, and the interfaces of the blob store and the search index. */
const HANDED_OUT = new Set([
  'storage/sql/sql.ts',
  'storage/blob/blob.ts',
  'storage/word-index/word-index.ts',
]);

/** Lists all violations of the house rules. */
export function violations(sources: Sources): string[] {
  const imports = [...sources].flatMap(([path, source]) => importsOf(path, source));
  return [
    ...imports.filter(isForbidden).map(({ from, to }) => `${from} → ${to}`),
    ...cycles(imports).map((cycle) => `cycle: ${cycle.join(' → ')}`),
    ...[...sources].flatMap(([path, source]) => fileFaults(path, source)),
  ];
}

function isForbidden(one: Import): boolean {
  if (`${one.from} → ${one.to}` in EXCEPTIONS) return false;
  const layer = layerOf(one.from);
  if (one.isPackage) return isForbiddenPackage(layer, one.to);
  const target = layerOf(one.to);
  if (layer === 'surface' && target === 'surface') return surfaceOf(one.from) !== surfaceOf(one.to);
  const { values, types } = MAY_IMPORT[layer];
  if (values.includes(target)) return false;
  if (!one.typeOnly || !types.includes(target)) return true;
  // Types of the storage may be imported only from the files in `HANDED_OUT`.
  return target === 'storage' && !HANDED_OUT.has(one.to);
}

function isForbiddenPackage(layer: Layer, name: string): boolean {
  if (layer === 'pure' || layer === 'schema') return !PURE_PACKAGES.includes(name);
  if (/^kysely\b/.test(name)) return layer !== 'store' && layer !== 'storage';
  if (/^node:sqlite$/.test(name)) return layer !== 'storage';
  if (/fastify/.test(name)) return layer === 'service' || layer === 'store' || layer === 'storage';
  return false;
}

function surfaceOf(path: string): string | undefined {
  return path.split('/')[0];
}

function fileFaults(path: string, source: string): string[] {
  const faults: string[] = [];
  if (/(^|\/)(utils?|helpers?|common|misc|index)\.tsx?$/.test(path)) faults.push('name');
  if (isBarrel(source)) faults.push('barrel');
  if (!path.includes('/') && !TOP_LEVEL.includes(path)) faults.push('belongs in a folder');
  if (isUnbounded(path, source)) faults.push('normalises text of any length');
  if (layerOf(path) === 'pure' && IMPURE.test(withoutComments(source))) faults.push('impure');
  const allowed = ENVIRONMENT.filter(([file]) => file.test(path)).map(([, use]) => use);
  const rest = allowed.reduce(
    (text, use) => text.replaceAll(new RegExp(use, 'g'), ''),
    withoutComments(source),
  );
  if (/\bprocess\.env\b|\benv\b.*from 'node:process'/.test(rest)) {
    faults.push('process.env');
  }
  return faults.map((fault) => `${path}: ${fault}`);
}

/** Whether a file only re-exports. */
function isBarrel(source: string): boolean {
  const statements = withoutComments(source)
    .replace(/\bexport\s+(type\s+)?(\*(\s+as\s+\w+)?|\{[^}]*\})\s+from\s+'[^']+';?/g, '')
    .trim();
  return statements === '' && /\bexport\b/.test(source);
}

/** Whether a file normalises text without importing from `text/`, which knows how much is safe. */
function isUnbounded(path: string, source: string): boolean {
  if (!/\.normalize\(/.test(withoutComments(source))) return false;
  return !importsOf(path, source).some(({ to }) => to.startsWith('text/'));
}

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}

const STATIC = /(?:^|\n)\s*(?:import|export)\s+(type\s+)?(?:([\w*{}\s,$]+?)\s+from\s+)?'([^']+)'/g;
const DYNAMIC = /\bimport\(\s*'([^']+)'\s*\)/g;

/** Lists a file's imports and re-exports. */
export function importsOf(from: string, text: string): Import[] {
  const source = withoutComments(text);
  const found: Import[] = [];
  const add = (specifier: string, typeOnly: boolean) => {
    const isPackage = !specifier.startsWith('.');
    const to = isPackage ? packageName(specifier) : resolve(from, specifier);
    found.push({ from, to, isPackage, typeOnly });
  };
  for (const [, type, names = '', specifier = ''] of source.matchAll(STATIC)) {
    const inBraces = /^\{([\s\S]*)\}$/.exec(names.trim())?.[1]?.split(',') ?? ['value'];
    const each = inBraces.map((name) => name.trim()).filter((name) => name !== '');
    add(specifier, type !== undefined || each.every((name) => name.startsWith('type ')));
  }
  for (const [, specifier = ''] of source.matchAll(DYNAMIC)) add(specifier, false);
  return found;
}

function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function resolve(from: string, specifier: string): string {
  return new URL(specifier, `file:///${from}`).pathname.slice(1);
}

/** Finds import cycles, including those of types. */
function cycles(imports: Import[]): string[][] {
  const next = Map.groupBy(
    imports.filter(({ isPackage }) => !isPackage),
    ({ from }) => from,
  );
  const done = new Set<string>();
  const found: string[][] = [];
  function visit(path: string, trail: string[]): void {
    const start = trail.indexOf(path);
    if (start >= 0) found.push([...trail.slice(start), path]);
    if (start >= 0 || done.has(path)) return;
    for (const { to } of next.get(path) ?? []) visit(to, [...trail, path]);
    done.add(path);
  }
  for (const path of next.keys()) visit(path, []);
  return found;
}
