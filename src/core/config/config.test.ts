import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { runBriefs } from '../../../test/process.ts';
import { ConfigError } from '../../base/config-error.ts';
import { UNLIMITED } from '../quota/quota.ts';
import type { Config } from './config.ts';
import { readConfig } from './read-config.ts';

type Environment = Record<string, string | undefined>;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Returns the error for bad settings: one line that names the setting. */
function complaint(environment: Environment): string {
  try {
    readConfig(environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    assert.doesNotMatch(error.message, /[\n\r]/);
    return error.message;
  }
  assert.fail(`no complaint about ${JSON.stringify(environment)}`);
}

describe('Settings: defaults', () => {
  it('nothing set', () => {
    assert.deepEqual(readConfig({}), {
      host: '',
      port: 4000,
      renderPort: 4001,
      metricsPort: undefined,
      webUrl: 'http://localhost:4000',
      baseUrl: 'http://localhost:4000/api',
      renderUrl: 'http://localhost:4001',
      dataDir: resolve('data'),
      database: undefined,
      redisUrl: undefined,
      blobs: undefined,
      face: NO_FACE,
      trustProxy: false,
      pageSources: [],
      invitationLifetimeMs: 7 * DAY,
      revisionBytesPerDocument: 64 * 1024 * 1024,
      trashMs: 30 * DAY,
      auditRetentionMs: 400 * 24 * 60 * MINUTE,
      quotas: UNLIMITED,
      webhookPrivateAddresses: 'refuse',
      signUps: 'open',
      signIn: { passwords: 'on', secondFactor: 'optional' },
      breachedPasswords: undefined,
      releasesUrl: undefined,
      signUpDomains: [],
      signUpBlockedDomains: [],
      signUpVerification: 'optional',
      reports: 'off',
      firstAccount: 'user',
      upstream: undefined,
      scimToken: undefined,
      tokenLifetimeMs: undefined,
      mail: undefined,
      rateLimits: {
        api: { count: 1000, windowMs: 5 * MINUTE },
        oauthToken: { count: 30, windowMs: 10 * MINUTE },
        ssoAuthorize: { count: 10, windowMs: 10 * MINUTE },
        oauthRegister: { count: 5, windowMs: 60 * MINUTE },
        invite: { count: 1_000, windowMs: 60 * MINUTE },
      },
      logLevel: 'info',
    } satisfies Config);
  });

  it('a public instance has other defaults, and explicit settings win', () => {
    const { quotas } = readConfig({ INSTANCE: 'public' });
    const bytes = 500 * 1024 ** 2;
    const most = {
      documents: 1_000,
      bytes,
      tokens: 20,
      webhooks: 10,
      documentsPerDay: 200,
      organizations: 5,
    };
    assert.deepEqual(quotas, most);
    const mail = { SMTP_URL: 'smtp://x', MAIL_FROM: 'briefs@example.com' };
    const verifying = (settings: Record<string, string>) => {
      const { reports, signUpVerification } = readConfig({ INSTANCE: 'public', ...settings });
      return [reports, signUpVerification];
    };
    assert.deepEqual(verifying({}), ['on', 'optional']);
    assert.deepEqual(verifying(mail), ['on', 'required']);
    assert.deepEqual(verifying({ ...mail, SIGN_UP_VERIFICATION: 'optional' }), ['on', 'optional']);
    const own = readConfig({ INSTANCE: 'public', QUOTA_BYTES: '5GB' });
    assert.deepEqual(own.quotas, { ...most, bytes: 5 * 1024 ** 3 });
    assert.throws(() => readConfig({ INSTANCE: 'secret' }), /INSTANCE: must be one of/);
    for (const text of ['-1', '1.5', 'many', '1GB']) {
      assert.throws(() => readConfig({ QUOTA_DOCUMENTS: text }), /must be a number, or none/);
    }
    assert.throws(() => readConfig({ QUOTA_BYTES: '5' }), /must be a size.*or none/);
  });

  it('addresses and ports depend on each other', () => {
    const derived: [Environment, Partial<Config>][] = [
      [{ PORT: '5000' }, { renderPort: 5001, webUrl: 'http://localhost:5000' }],
      [{ PORT: '5000' }, { renderUrl: 'http://localhost:5001' }],
      [{ PORT: '5000', RENDER_PORT: '7000' }, { renderUrl: 'http://localhost:7000' }],
      [
        { WEB_URL: 'https://briefs.example', RENDER_URL: 'https://raw.example' },
        { baseUrl: 'https://briefs.example/api', port: 4000 },
      ],
      [{ RENDER_URL: 'https://raw.example/' }, { renderUrl: 'https://raw.example' }],
      [
        { RENDER_PORT: '4000', RENDER_URL: 'http://raw.localhost' },
        { renderPort: 4000, port: 4000 },
      ],
      [
        { PORT: '65535', RENDER_PORT: '1' },
        { port: 65_535, renderPort: 1 },
      ],
    ];
    for (const [environment, expected] of derived) {
      const config = readConfig(environment);
      for (const [name, value] of Object.entries(expected)) {
        assert.deepEqual(config[name as keyof Config], value, JSON.stringify(environment));
      }
    }
  });

  it('empty values count as unset, and white space around values is ignored', () => {
    const names = ['HOST', 'PORT', 'WEB_URL', 'DATA_DIR', 'TRUST_PROXY', 'RATE_LIMIT_API'];
    const empty = Object.fromEntries(names.map((name) => [name, '']));
    const blank = Object.fromEntries(names.map((name) => [name, ' \t']));
    assert.deepEqual(readConfig(empty), readConfig({}));
    assert.deepEqual(readConfig(blank), readConfig({}));
    assert.equal(readConfig({ PORT: ' 5000 ' }).port, 5000);
  });

  it('variables of other programs are ignored', () => {
    const others = { PATH: '/bin', HOME: '/', NODE_ENV: 'production', HOSTNAME: 'x', PORTS: '1' };
    const more = {
      REPORT: '1',
      npm_config_x: 'y',
      LANG: 'C',
      TERM: 'x',
      AWS_REGION: 'x',
      PWD: '/',
    };
    const near = { DB_URL: 'x', JOB_URL: 'x', LOG_URL: 'x', DATA_URL: 'x', POST: 'x', GHOST: 'x' };
    assert.deepEqual(readConfig({ ...others, ...more, ...near }), readConfig({}));
  });
});

/** An instance that says nothing of itself. */
const NO_FACE = {
  accent: undefined,
  logo: undefined,
  name: 'Briefs',
  contact: undefined,
  terms: undefined,
  privacy: undefined,
  imprint: undefined,
};

const GOOD: [name: string, text: string, field: keyof Config, value: unknown][] = [
  ['HOST', '127.0.0.1', 'host', '127.0.0.1'],
  ['HOST', 'localhost', 'host', 'localhost'],
  ['HOST', '::1', 'host', '::1'],
  ['PAGE_SOURCES', 'cdn.example.com', 'pageSources', ['https://cdn.example.com']],
  [
    'PAGE_SOURCES',
    ' https://CDN.example.com/ , *.example.net:8443',
    'pageSources',
    ['https://cdn.example.com', 'https://*.example.net:8443'],
  ],
  ['PORT', '1', 'port', 1],
  ['PORT', '65534', 'port', 65_534],
  ['RENDER_PORT', '65535', 'renderPort', 65_535],
  ['METRICS_PORT', '9090', 'metricsPort', 9090],
  ['WEB_URL', 'http://[::1]:4000/', 'webUrl', 'http://[::1]:4000'],
  ['WEB_URL', 'HTTPS://Briefs.Localhost:443', 'webUrl', 'https://briefs.localhost'],
  ['BASE_URL', 'https://api.example//', 'baseUrl', 'https://api.example'],
  ['BASE_URL', 'http://localhost:4000/a/b/', 'baseUrl', 'http://localhost:4000/a/b'],
  ['DATA_DIR', '/var/lib/briefs', 'dataDir', '/var/lib/briefs'],
  ['DATA_DIR', 'x/../y', 'dataDir', resolve('y')],
  ['REDIS_URL', 'redis://cache:6379/2?prefix=b:', 'redisUrl', 'redis://cache:6379/2?prefix=b:'],
  ['TRUST_PROXY', '1', 'trustProxy', 1],
  ['TRUST_PROXY', '9', 'trustProxy', 9],
  ['TRUST_PROXY', 'loopback', 'trustProxy', ['loopback']],
  ['TRUST_PROXY', '10.0.0.0/8, ::1 ,fd00::/8', 'trustProxy', ['10.0.0.0/8', '::1', 'fd00::/8']],
  ['INVITATION_LIFETIME', '250ms', 'invitationLifetimeMs', 250],
  ['INVITATION_LIFETIME', '10s', 'invitationLifetimeMs', 10_000],
  ['INVITATION_LIFETIME', '90m', 'invitationLifetimeMs', 90 * MINUTE],
  ['INVITATION_LIFETIME', '2w', 'invitationLifetimeMs', 14 * DAY],
  ['REVISION_BYTES_PER_DOCUMENT', '512KB', 'revisionBytesPerDocument', 512 * 1024],
  ['REVISION_BYTES_PER_DOCUMENT', '2GB', 'revisionBytesPerDocument', 2 * 1024 ** 3],
  ['TRASH_DAYS', '0', 'trashMs', 0],
  ['AUDIT_RETENTION', '90d', 'auditRetentionMs', 90 * DAY],
  ['AUDIT_RETENTION', 'forever', 'auditRetentionMs', undefined],
  ['QUOTA_DOCUMENTS', '1000', 'quotas', { ...UNLIMITED, documents: 1_000 }],
  ['QUOTA_BYTES', '5GB', 'quotas', { ...UNLIMITED, bytes: 5 * 1024 ** 3 }],
  ['INSTANCE', 'private', 'quotas', UNLIMITED],
  ['TRASH_DAYS', '7', 'trashMs', 7 * DAY],
  ['SIGN_UPS', 'closed', 'signUps', 'closed'],
  ['SIGN_UPS', 'invited', 'signUps', 'invited'],
  [
    'SIGN_UP_BLOCKED_DOMAINS',
    'Mail.example, *.example.org',
    'signUpBlockedDomains',
    ['mail.example', '*.example.org'],
  ],
  ['FIRST_ACCOUNT', 'admin', 'firstAccount', 'admin'],
  ['INSTANCE_NAME', 'Observatory', 'face', { ...NO_FACE, name: 'Observatory' }],
  ['INSTANCE_ACCENT', '#7A1F5C', 'face', { ...NO_FACE, accent: '#7a1f5c' }],
  ['CONTACT', 'ada@example.com', 'face', { ...NO_FACE, contact: 'mailto:ada@example.com' }],
  [
    'CONTACT',
    'https://example.com/help',
    'face',
    { ...NO_FACE, contact: 'https://example.com/help' },
  ],
  [
    'TERMS_URL',
    'https://example.com/terms',
    'face',
    { ...NO_FACE, terms: 'https://example.com/terms' },
  ],
  ['REPORTS', 'on', 'reports', 'on'],
  ['LOG_LEVEL', 'silent', 'logLevel', 'silent'],
];

const DURATIONS = [
  '7',
  'd',
  '0s',
  '-1d',
  '1.5h',
  '7 days',
  '7D',
  '1d1h',
  'forever',
  '1e3s',
  '9'.repeat(12),
  '1001y',
];
const PORTS = ['0', '-1', '65536', '80.5', '0x50', '1e3', '080', 'http', '4000x', '99999999999'];
const LIMITS = [
  '1000',
  '1000/',
  '/5m',
  '0/5m',
  '-1/5m',
  '1.5/5m',
  '1e3/5m',
  '1000 / 5m',
  '1000/5',
  '5m/1000',
  'on',
  'OFF',
  'none',
  '1000/0s',
  '1000/5m/5m',
  '1000/5mm',
  '9999999999/1s',
];
const ADDRESSES = [
  'localhost',
  'localhost:4000',
  '//localhost',
  'ftp://localhost',
  'http://',
  'http:// x',
  'http://user@localhost',
  'http://user:secret@localhost',
  'http://localhost/?q',
  'http://localhost/#x',
  'http://localhost/?',
  'http://localhost/#',
  'javascript:alert(1)',
  '/api',
  'http://a b',
];

const BAD: Record<string, string[]> = {
  HOST: ['example.com', '999.0.0.1', '*', '127.0.0.1:80', '[::1]', 'http://localhost'],
  PORT: [...PORTS, '65535'],
  RENDER_PORT: PORTS,
  METRICS_PORT: [...PORTS, '4000', '4001'],
  WEB_URL: [...ADDRESSES, 'http://localhost/briefs'],
  BASE_URL: ADDRESSES,
  RENDER_URL: [...ADDRESSES, 'http://localhost/raw'],
  PAGE_SOURCES: [
    '*',
    'https:',
    'http://cdn.example.com',
    'cdn.example.com/lib',
    "'self'",
    'a.example; script-src *',
    'a.example b.example',
    'localhost',
    '*.com.',
    '192.0.2.1',
    'a.example:99999',
    ',',
  ],
  TRUST_PROXY: [
    'true',
    'yes',
    '*',
    '0',
    '10',
    '-1',
    '10.0.0.0/33',
    'proxy.example',
    '10.0.0.1,',
    ',',
  ],
  INVITATION_LIFETIME: DURATIONS,
  RATE_LIMIT_API: LIMITS,
  RATE_LIMIT_OAUTH_TOKEN: LIMITS,
  RATE_LIMIT_SSO_AUTHORIZE: LIMITS,
  RATE_LIMIT_OAUTH_REGISTER: LIMITS,
  RATE_LIMIT_INVITATIONS: LIMITS,
  DATABASE_URL: [
    'db',
    'postgres:',
    'postgres://',
    'mysql://db/briefs',
    'http://db/briefs',
    'postgres://db/x?pool_size=0',
    'postgres://db/x?pool_size=all',
    'postgres://db/x?pooler=session',
    'postgres://db/x?pooler=',
  ],
  REDIS_URL: [
    'cache',
    'redis:',
    'http://cache',
    'redis://cache?ttl=1',
    'redis://cache?db=3',
    'redis://cache/sessions',
    'redis://cache/0/1',
    'redis://:50%@cache',
  ],
  BLOB_URL: [
    'bucket',
    's3:',
    's3://',
    'https://bucket',
    's3://bucket?endpoint=store:9000',
    's3://bucket?acl=public',
    's3://bucket/a b',
    's3://bucket/a%20b',
  ],
  INSTANCE_NAME: ['x'.repeat(41), '<b>'],
  INSTANCE_ACCENT: ['red', '#12345', '#12345g'],
  INSTANCE_LOGO: ['/nowhere/logo.svg', import.meta.filename],
  CONTACT: ['ada', 'a@b@c', 'javascript:alert(1)', 'http://example.com/help'],
  TERMS_URL: ['/terms', 'example.com', 'javascript:alert(1)', 'https://me:secret@example.com'],
  PRIVACY_URL: ['/privacy', 'data:text/html,x'],
  IMPRINT_URL: ['imprint'],
  SIGN_UPS: ['yes', 'Open', 'on'],
  SECOND_FACTOR: ['on', 'yes'],
  PASSWORDS: ['no', 'optional'],
  BREACHED_PASSWORDS: ['api.example.com', 'http://api.example.com/range', 'on'],
  RELEASES_URL: ['releases', 'https://me:secret@example.com', 'ftp://example.com'],
  FIRST_ACCOUNT: ['yes', 'Admin'],
  SMTP_URL: [
    'mail.example',
    'http://mail.example',
    'smtp:',
    'smtp://',
    'smtp://x/y',
    'smtp://x?pool=1',
    'smtp://x:99999',
    'smtp://:50%@x',
  ],
  MAIL_FROM: ['nobody', 'a@b@c', 'A <a@b', 'a@b, c@d', 'A <a@b> <c@d>', 'a b@c', 'a@', 'a@b'],
  OIDC_ISSUER: [...ADDRESSES, 'http://id.example', 'http://10.0.0.1'],
  LOG_LEVEL: ['INFO', 'verbose', '30', 'warning'],
};

describe('Settings: values', () => {
  for (const [name, text, field, value] of GOOD) {
    it(`${name}=${text}`, () => assert.deepEqual(readConfig({ [name]: text })[field], value));
  }

  it('an OpenID provider: all settings or none', () => {
    const all = {
      OIDC_ISSUER: 'https://id.example/x/',
      OIDC_CLIENT_ID: 'a',
      OIDC_CLIENT_SECRET: 'b',
    };
    const upstream = { issuer: 'https://id.example/x/', clientId: 'a', clientSecret: 'b' };
    const known = {
      ...upstream,
      name: 'id.example',
      groups: [],
      groupsClaim: 'groups',
      emailClaim: 'email',
      verifiesEmails: false,
      checkEveryMs: 0,
      signsOut: false,
    };
    assert.deepEqual(readConfig(all).upstream, known);
    const grouped = readConfig({
      ...all,
      OIDC_GROUPS: ' staff, writers,',
      OIDC_GROUPS_CLAIM: 'team',
    });
    assert.deepEqual(grouped.upstream?.groups, ['staff', 'writers']);
    assert.equal(grouped.upstream?.groupsClaim, 'team');
    const asked = readConfig({ ...all, OIDC_CHECK_HOURS: '8', OIDC_EMAIL_VERIFIED: 'always' });
    assert.equal(asked.upstream?.checkEveryMs, 8 * 60 * MINUTE);
    assert.equal(asked.upstream?.verifiesEmails, true);
    for (const more of [
      { OIDC_CHECK_HOURS: '8' },
      { OIDC_GROUPS: 'staff' },
      { OIDC_SIGN_OUT: 'on' },
      { OIDC_EMAIL_CLAIM: 'upn' },
      { OIDC_EMAIL_VERIFIED: 'always' },
    ]) {
      assert.throws(() => readConfig(more), /OIDC_ISSUER: is required/);
    }
    assert.throws(() => readConfig({ PASSWORDS: 'off' }), /PASSWORDS: off needs OIDC_ISSUER/);
    assert.equal(readConfig({ ...all, PASSWORDS: 'off' }).signIn.passwords, 'off');
    const named = readConfig({ ...all, OIDC_NAME: 'Example ID' });
    assert.equal(named.upstream?.name, 'Example ID');
    for (const issuer of ['http://localhost:5000', 'http://127.0.0.1', 'http://[::1]:5000/x']) {
      assert.equal(readConfig({ ...all, OIDC_ISSUER: issuer }).upstream?.issuer, issuer);
    }
    for (const name of Object.keys(all)) {
      assert.match(complaint({ ...all, [name]: '' }), new RegExp(`^${name}: is required`));
    }
    assert.match(complaint({ OIDC_NAME: 'x' }), /^OIDC_ISSUER: is required if OIDC_NAME is set/);
    assert.match(complaint({ ...all, OIDC_SCOPE: 'x' }), /^OIDC_SCOPE: unknown setting/);
  });

  it('what ends access: tokens after days, and a directory’s token that nobody can guess', () => {
    assert.equal(readConfig({ TOKEN_DAYS: '90' }).tokenLifetimeMs, 90 * 24 * 60 * MINUTE);
    for (const text of ['0', '-1', '1.5', 'soon']) {
      assert.match(complaint({ TOKEN_DAYS: text }), /^TOKEN_DAYS: must be a number of days/);
    }
    assert.match(complaint({ OIDC_CHECK_HOURS: '0.5' }), /^OIDC_CHECK_HOURS: must be a number/);
    const token = '0123456789abcdef0123456789abcdef';
    assert.equal(readConfig({ SCIM_TOKEN: token }).scimToken, token);
    for (const short of ['short-secret', `${token} ${token}`]) {
      assert.match(complaint({ SCIM_TOKEN: short }), /^SCIM_TOKEN: must have at least 32/);
      assert.doesNotMatch(complaint({ SCIM_TOKEN: short }), /short-secret|0123/);
    }
  });

  it('mail: server and sender, or neither', () => {
    const MAIL_FROM = 'briefs@example.com';
    const mailOf = (SMTP_URL: string, from = MAIL_FROM) =>
      readConfig({ SMTP_URL, MAIL_FROM: from }).mail;
    const from = { name: 'Briefs', address: MAIL_FROM };
    const named = readConfig({
      SMTP_URL: 'smtp://x',
      MAIL_FROM,
      INSTANCE_NAME: 'Observatory',
    }).mail;
    assert.deepEqual(named?.from, { ...from, name: 'Observatory' });
    const plain = { secure: false, requireTls: false, login: undefined };
    assert.deepEqual(mailOf('smtp://mail.example'), {
      host: 'mail.example',
      port: 587,
      ...plain,
      from,
    });
    const login = { user: 'ada@x', password: 'p/w' };
    assert.deepEqual(mailOf('smtp://ada%40x:p%2Fw@mail.example:25'), {
      host: 'mail.example',
      port: 25,
      secure: false,
      requireTls: true,
      login,
      from,
    });
    assert.deepEqual(mailOf('smtps://[::1]'), {
      host: '::1',
      port: 465,
      secure: true,
      requireTls: false,
      login: undefined,
      from,
    });
    assert.equal(mailOf('smtp://a:b@localhost:25')?.requireTls, false, 'on this machine');
    for (const text of ['The Briefs <briefs@example.com>', '"The Briefs" <briefs@example.com>']) {
      assert.deepEqual(mailOf('smtp://x', text)?.from, { ...from, name: 'The Briefs' });
    }
    assert.match(complaint({ SMTP_URL: 'smtp://x' }), /^MAIL_FROM: is required if SMTP_URL/);
    assert.match(complaint({ MAIL_FROM }), /^SMTP_URL: is required if MAIL_FROM/);
    assert.doesNotMatch(complaint({ SMTP_URL: 'smtp://a:s3cret@x/path' }), /s3cret/);
  });

  it('rate limits', () => {
    for (const [name, field] of [
      ['RATE_LIMIT_API', 'api'],
      ['RATE_LIMIT_OAUTH_TOKEN', 'oauthToken'],
      ['RATE_LIMIT_SSO_AUTHORIZE', 'ssoAuthorize'],
      ['RATE_LIMIT_OAUTH_REGISTER', 'oauthRegister'],
      ['RATE_LIMIT_INVITATIONS', 'invite'],
    ] as const) {
      const limit = (text: string) => readConfig({ [name]: text }).rateLimits[field];
      assert.deepEqual(limit('7/90s'), { count: 7, windowMs: 90_000 });
      assert.equal(limit('off'), undefined);
    }
  });

  it('DATABASE_URL: our own parameters are removed, the driver’s are passed on', () => {
    const text = 'postgres://ada:x@db:6432/briefs?sslmode=require&pool_size=25&pooler=transaction';
    assert.deepEqual(readConfig({ DATABASE_URL: text }).database, {
      connectionString: 'postgres://ada:x@db:6432/briefs?sslmode=require',
      poolSize: 25,
      pooler: true,
    });
    assert.deepEqual(readConfig({ DATABASE_URL: 'postgres:///briefs?host=/run/pg' }).database, {
      connectionString: 'postgres:///briefs?host=%2Frun%2Fpg',
      poolSize: 10,
      pooler: false,
    });
  });

  it('BLOB_URL: bucket, prefix, endpoint, region and the usual credentials', () => {
    const none = { prefix: '', endpoint: undefined, region: 'us-east-1', credentials: undefined };
    assert.deepEqual(readConfig({ BLOB_URL: 's3://store' }).blobs, { bucket: 'store', ...none });
    const environment = {
      BLOB_URL: 's3://store/a/b/?endpoint=http://minio:9000&region=eu-1',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_REGION: 'eu-2',
    };
    assert.deepEqual(readConfig(environment).blobs, {
      bucket: 'store',
      prefix: 'a/b',
      endpoint: 'http://minio:9000',
      region: 'eu-1',
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    });
    const { AWS_REGION } = environment;
    assert.equal(readConfig({ BLOB_URL: 's3://store', AWS_REGION }).blobs?.region, 'eu-2');
  });

  it('errors never contain a password', () => {
    for (const [name, protocol] of [
      ['DATABASE_URL', 'postgres'],
      ['REDIS_URL', 'redis'],
    ] as const) {
      for (const address of [
        'ada:s3cret@db/x?pool_size=0&ttl=1',
        'ada:s3cret/@db/x',
        'ada:p#s3cret@db/x',
        'ada:12/s3cret@db/x?pool_size=0',
        'ada:s3cret%@db/x?pool_size=0',
        'db/x?pool_size=0&ttl=1&user=ada&password=s3cret',
      ]) {
        const message = complaint({ [name]: `${protocol}://${address}` });
        assert.doesNotMatch(message, /s3cret/, address);
      }
    }
  });

  for (const [name, texts] of Object.entries(BAD)) {
    it(`${name}: invalid values are refused by name`, () => {
      for (const text of texts) {
        assert.match(complaint({ [name]: text }), new RegExp(`^${name}: `), text);
      }
    });
  }
});

describe('Unknown settings', () => {
  it('a typo is refused with a suggestion', () => {
    for (const [name, meant] of [
      ['DATA_DIRR', 'DATA_DIR'],
      ['DATADIR', 'DATA_DIR'],
      ['DATA_DIT', 'DATA_DIR'],
      ['BASEURL', 'BASE_URL'],
      ['WEB_URI', 'WEB_URL'],
      ['RENDER_URLS', 'RENDER_URL'],
      ['TRUSTPROXY', 'TRUST_PROXY'],
      ['INVITATION_LIFETIMES', 'INVITATION_LIFETIME'],
      ['RATE_LIMITS_API', 'RATE_LIMIT_API'],
      ['METRIC_PORT', 'METRICS_PORT'],
      ['DATABSE_URI', 'DATABASE_URL'],
      ['LOGLEVEL', 'LOG_LEVEL'],
      ['PROT', 'PORT'],
      ['DATA_DRI', 'DATA_DIR'],
      ['LOG_LEVLE', 'LOG_LEVEL'],
    ] as const) {
      const message = complaint({ [name]: 'x' });
      assert.ok(message.startsWith(`${name}: unknown setting`), message);
      assert.ok(message.includes(meant), message);
    }
  });

  it('names of our families are refused, except what Kubernetes sets for services', () => {
    for (const name of ['SMTP_HOST', 'SMTP_USER', 'MAIL_SENDER', 'OIDC_URL', 'QUOTA_PAGES']) {
      assert.match(complaint({ [name]: 'x' }), new RegExp(`^${name}: unknown setting`));
    }
    const services = { SMTP_SERVICE_HOST: 'x', SMTP_PORT: 'x', MAIL_PORT_25_TCP_ADDR: 'x' };
    assert.equal(readConfig(services).port, 4000);
  });

  it('BRIEFS_TOKEN and BRIEFS_SERVER are not settings', () => {
    const client = { BRIEFS_TOKEN: 'brf_x', BRIEFS_SERVER: 'https://briefs.example' };
    assert.equal(readConfig(client).port, 4000);
    assert.match(complaint({ BRIEFS_SERVERS: 'x' }), /^BRIEFS_SERVERS: unknown setting/);
  });

  it('variables of a hosting platform are not settings', () => {
    const platform = {
      RENDER: 'true',
      RENDER_SERVICE_ID: 'srv-1',
      RENDER_EXTERNAL_URL: 'https://x',
    };
    assert.equal(readConfig({ ...platform, RENDER_GIT_COMMIT: 'abc' }).port, 4000);
  });

  it('an unencoded character in a password is reported without the password', () => {
    for (const name of ['DATABASE_URL', 'BLOB_URL', 'REDIS_URL'] as const) {
      const scheme = { DATABASE_URL: 'postgres', BLOB_URL: 's3', REDIS_URL: 'redis' }[name];
      const message = complaint({ [name]: `${scheme}://ada:open/se:same@db.example:5432/briefs` });
      assert.match(message, /percent-encoded|begins with|such as/);
      if (name === 'DATABASE_URL') assert.match(message, /percent-encoded \(\/ as %2F/);
      assert.doesNotMatch(message, /same/);
    }
  });

  it('unknown names with our prefixes, and former settings, are refused', () => {
    const gone = ['QUOTA_TOKENS', 'NAMESPACE_RESERVATION', 'DNS_SERVERS'];
    for (const name of ['BRIEFS_PORT', 'RATE_LIMIT_UPLOADS', 'INVITATION_TTL', ...gone]) {
      assert.match(complaint({ [name]: '1' }), new RegExp(`^${name}: unknown setting`));
    }
  });
});

describe('Complaints', () => {
  it('say what is missing', () => {
    for (const [name, text, what] of [
      ['BLOB_URL', 's3://', /needs a bucket/],
      ['BLOB_URL', 's3://?region=eu-1', /needs a bucket/],
      ['DATABASE_URL', 'postgres://', /needs a host/],
      [
        'DATABASE_URL',
        'postgres://db/briefs?pool=transaction',
        /unknown parameter pool; known are/,
      ],
      ['DATABASE_URL', 'postgres://db/briefs?poolsize=3', /unknown parameter poolsize/],
    ] as const) {
      assert.match(complaint({ [name]: text }), what, `${name}=${text}`);
    }
    const driver = 'postgres://db/briefs?sslmode=require&channel_binding=require';
    assert.ok(readConfig({ DATABASE_URL: driver }).database);
  });
});

describe('Settings: contradictions', () => {
  const HTTPS = { WEB_URL: 'https://x.example', RENDER_URL: 'https://raw.example' };
  const cases: [Environment, string][] = [
    [{ WEB_URL: 'https://x.example', RENDER_URL: 'https://x.example' }, 'RENDER_URL'],
    [{ WEB_URL: 'https://x.example', RENDER_URL: 'https://X.example:443/' }, 'RENDER_URL'],
    [{ RENDER_URL: 'http://localhost:4000' }, 'RENDER_URL'],
    [{ WEB_URL: 'http://localhost:4001' }, 'RENDER_URL'],
    [{ RENDER_PORT: '4000', WEB_URL: '', RENDER_URL: 'http://localhost:4000' }, 'RENDER_URL'],
    [{ BASE_URL: 'https://a.example/v1', RENDER_URL: 'https://a.example' }, 'RENDER_URL'],
    [{ RENDER_PORT: '4000' }, 'RENDER_PORT'],
    [{ RENDER_PORT: '7000', BASE_URL: 'http://localhost:7000/api' }, 'RENDER_PORT'],
    [{ WEB_URL: 'https://x.example' }, 'RENDER_URL'],
    [{ ...HTTPS, BASE_URL: 'https://x.example/' }, 'BASE_URL'],
    [{ ...HTTPS, PAGE_SOURCES: 'cdn.example,x.example' }, 'PAGE_SOURCES'],
    [{ RENDER_URL: 'https://raw.x.example', PAGE_SOURCES: '*.x.example' }, 'PAGE_SOURCES'],
    [{ PORT: '5000', METRICS_PORT: '5000' }, 'METRICS_PORT'],
    [{ PORT: '5000', METRICS_PORT: '5001' }, 'METRICS_PORT'],
  ];
  for (const [environment, name] of cases) {
    it(JSON.stringify(environment), () => {
      assert.match(complaint(environment), new RegExp(`^${name}: `));
    });
  }
});

describe('Settings of a process', () => {
  it('a wrong setting stops the start with one line on standard error and exit code 2', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
    try {
      const settings: [name: string, text: string][] = [
        ['PORT', 'http'],
        ['DATABASE_URL', 'postgres://user:s3cret@db/briefs?pool_size=x'],
        ['RENDER_URL', 'http://localhost:4000'],
        ['DATADIR', dataDir],
      ];
      const attempts = settings.flatMap(([name, text]) =>
        [['serve'], ['users', 'list']].map(async (command) => {
          const outcome = await runBriefs(command, { DATA_DIR: dataDir, [name]: text });
          assert.equal(outcome.code, 2, name);
          assert.equal(outcome.stdout, '');
          assert.match(outcome.stderr, new RegExp(`^briefs: ${name}: [^\\n]+\\n$`));
          assert.doesNotMatch(outcome.stderr, /s3cret/);
        }),
      );
      await Promise.all(attempts);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
