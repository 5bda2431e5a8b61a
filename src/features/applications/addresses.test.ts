import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import {
  pathOf,
  type Surface,
  surfaceRule,
  takenSegments,
} from '../../core/config/listening-addresses.ts';
import { PATHS } from './metadata.ts';

describe('pathOf', () => {
  const cases: [target: string, path: string][] = [
    ['/', '/'],
    ['/a/b', '/a/b'],
    ['/a?b', '/a'],
    ['/a?b?c#d', '/a'],
    ['/a#b', '/a'],
    ['?a', ''],
    ['/a%3Fb', '/a%3Fb'],
    ['//a/b', '//a/b'],
    ['/http://x/y', '/http://x/y'],
    ['http://x/y', '/y'],
    ['HTTPS://x:1/y/z?q', '/y/z'],
    ['http://x', ''],
    ['http://x?q=/y', ''],
    ['http://user@x/y', '/y'],
    ['a+b.c-d://x/y', '/y'],
    ['*', '*'],
    ['', ''],
  ];
  for (const [target, path] of cases) {
    it(JSON.stringify(target), () => assert.equal(pathOf(target), path));
  }
});

/** A configuration, and the surface for each address. */
interface Rule {
  webUrl: string;
  baseUrl: string;
  renderUrl: string;
  cases: [host: string | undefined, path: string, surface: Surface][];
}

const RULES: Record<string, Rule> = {
  'the API below the web host': {
    webUrl: 'http://localhost:4000',
    baseUrl: 'http://localhost:4000/api',
    renderUrl: 'http://localhost:4001',
    cases: [
      ['localhost:4000', '/', 'web'],
      ['localhost:4000', '/api', 'rest'],
      ['localhost:4000', '/api/', 'rest'],
      ['localhost:4000', '/api/user', 'rest'],
      ['localhost:4000', '/apis', 'web'],
      ['localhost:4000', '/API', 'web'],
      ['localhost:4000', '/ada/api', 'web'],
      ['localhost:4000', '//api', 'web'],
      ['localhost:4001', '/', 'render'],
      ['localhost:4001', '/api/user', 'render'],
      ['192.0.2.1:8080', '/api/user', 'rest'],
      ['192.0.2.1:8080', '/ada', 'web'],
      ['localhost', '/api/user', 'rest'],
      [undefined, '/api/user', 'rest'],
      [undefined, '/', 'web'],
      ['', '/', 'web'],
    ],
  },
  'three host names behind TLS, a prefix': {
    webUrl: 'https://briefs.example',
    baseUrl: 'https://api.briefs.example/v1',
    renderUrl: 'https://briefs-content.example',
    cases: [
      ['briefs.example', '/', 'web'],
      ['briefs.example', '/v1/user', 'web'],
      ['api.briefs.example', '/v1/user', 'rest'],
      ['api.briefs.example', '/user', 'rest'],
      ['api.briefs.example', '/', 'rest'],
      ['briefs-content.example', '/ada/page', 'render'],
      ['briefs-content.example', '/v1/user', 'render'],
      ['unknown.example', '/v1/user', 'web'],
      [undefined, '/v1/user', 'web'],
      // Host names ignore case, and the default port is optional.
      ['BRIEFS.example', '/', 'web'],
      ['API.Briefs.Example', '/v1/user', 'rest'],
      ['Briefs-Content.EXAMPLE', '/', 'render'],
      ['briefs.example:443', '/', 'web'],
      ['api.briefs.example:443', '/v1/user', 'rest'],
      ['briefs-content.example:443', '/', 'render'],
      ['briefs-content.example:8443', '/', 'web'],
      ['x.briefs-content.example', '/', 'web'],
      ['briefs-content.example.evil.example', '/', 'web'],
    ],
  },
  'three host names, no prefix, a port': {
    webUrl: 'http://briefs.test:4000',
    baseUrl: 'http://api.briefs.test:4000',
    renderUrl: 'http://raw.briefs.test:4000',
    cases: [
      ['briefs.test:4000', '/user', 'web'],
      ['api.briefs.test:4000', '/user', 'rest'],
      ['raw.briefs.test:4000', '/user', 'render'],
      ['api.briefs.test', '/user', 'web'],
      ['api.briefs.test:80', '/user', 'web'],
    ],
  },
  'plain http on its own port': {
    webUrl: 'http://briefs.test',
    baseUrl: 'http://briefs.test/a/b',
    renderUrl: 'http://raw.briefs.test',
    cases: [
      ['briefs.test:80', '/a/b/user', 'rest'],
      ['briefs.test', '/a/b', 'rest'],
      ['briefs.test', '/a/bc', 'web'],
      ['briefs.test', '/a', 'web'],
      ['raw.briefs.test:80', '/', 'render'],
      ['raw.briefs.test:443', '/', 'web'],
    ],
  },
};

describe('surfaceRule', () => {
  for (const [name, { cases, ...config }] of Object.entries(RULES)) {
    describe(name, () => {
      const surfaceFor = surfaceRule(config);
      for (const [host, path, surface] of cases) {
        it(`${host} ${path} → ${surface}`, () => assert.equal(surfaceFor(host, path), surface));
      }
    });
  }
});

describe('The authorization server’s addresses', () => {
  const baseUrl = 'http://localhost:4000/api';
  const surfaceFor = surfaceRule({
    webUrl: 'http://localhost:4000',
    baseUrl,
    renderUrl: 'http://localhost:4001',
  });
  const of = (path: string) => surfaceFor('localhost:4000', `/api${path}`);

  it('belong to it; all other paths are the API’s', () => {
    const described = ['/.well-known/openid-configuration', '/sso/authorize/some-uid/decided'];
    for (const path of [...Object.values(PATHS), ...described])
      assert.equal(of(path), 'oauth', path);
    for (const path of ['/oauth', '/oauth/nothing', '/sso', '/sso/authorized', '/.well-known/x']) {
      assert.equal(of(path), 'rest', path);
    }
  });
});

describe('takenSegments', () => {
  it('is the API’s first segment if it shares the web host', () => {
    const webUrl = 'https://briefs.example';
    assert.deepEqual(takenSegments({ webUrl, baseUrl: `${webUrl}/v7/api` }), ['v7']);
    assert.deepEqual(takenSegments({ webUrl, baseUrl: 'https://api.briefs.example/v7' }), []);
  });
});
