import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { assertError } from '../../../test/harness.ts';
import { databaseState } from '../../../test/state.ts';
import { type BodyRoute, type Field, startFurnished, withBytes } from './body-routes.testing.ts';

const BOM = '\ufeff';

describe('Invalid bodies: 400 that names the field, and nothing is written', async () => {
  const furnished = await startFurnished();
  const routes = furnished.routes;
  after(() => furnished.service.stop());

  /** Sends something to all routes, and checks that nothing was written. */
  async function onEveryRoute(attempt: (route: BodyRoute) => Promise<void>): Promise<void> {
    const { context } = furnished.service.app;
    const state = await databaseState(context);
    await Promise.all(routes.map(attempt));
    assert.deepEqual(await databaseState(context), state);
  }

  const send = (route: BodyRoute, body: unknown) => withBytes(route, JSON.stringify(body));

  it('are sent to every route with a body, whatever a new one is named', () => {
    assert.ok(routes.length > 60, `${routes.length}`);
    const optional = routes.filter(({ emptyAllowed }) => emptyAllowed);
    assert.deepEqual(
      optional.map(({ template }) => template.replace(/^\/(briefs|pages)\//, '/…/')).sort(),
      OPTIONAL_BODIES,
    );
  });

  it('not JSON', async () => {
    const texts = [
      '{',
      '}',
      '{"a":',
      '[1,',
      '{"a":1,}',
      "{'a':1}",
      '{a:1}',
      '{}{}',
      '{} x',
      '"',
      '\\',
      'undefined',
      'NaN',
      '01',
      '+1',
      '.5',
      '0x1',
      'tru',
      ' ',
      '\n',
      '\0',
      '{"a":"\t"}',
      '{"a":"\\x41"}',
      '{"a":"\\u12"}',
      '{/**/}',
      `${BOM}{`,
      'a=1&b=2',
      '<a/>',
      '--x',
    ];
    await onEveryRoute(async (route) => {
      for (const text of texts) {
        assertError(await withBytes(route, text), 400, 'BAD_REQUEST', /^body: is not well-formed/);
      }
    });
  });

  it('no body', async () => {
    await onEveryRoute(async (route) => {
      if (route.emptyAllowed) return;
      for (const answer of [await withBytes(route, ''), await withBytes(route, '', {})]) {
        assertError(answer, 400, 'BAD_REQUEST', missing(route));
      }
    });
  });

  it('an empty object', async () => {
    await onEveryRoute(async (route) => {
      if (route.emptyAllowed) return;
      assertError(await send(route, {}), 400, 'BAD_REQUEST', missing(route));
    });
  });

  it('JSON that isn’t an object', async () => {
    await onEveryRoute(async (route) => {
      for (const body of [[], [route.valid], 'text', '', 0, 1, true, false, null]) {
        assertError(await send(route, body), 400, 'BAD_REQUEST', /^body: must be a JSON object/);
      }
    });
  });

  it('values of the wrong type', async () => {
    const values = [[], ['public'], [[]], {}, { length: 3 }, 0, 1, -1.5, 1e308, null, true, 'true'];
    await onEveryRoute(async (route) => {
      for (const [name, field] of Object.entries(route.fields)) {
        for (const value of values.filter((value) => !fits(field, value))) {
          const answer = await send(route, { ...route.valid, [name]: value });
          assertError(answer, 400, 'BAD_REQUEST', new RegExp(`^${name}: must be `));
        }
      }
    });
  });

  it('unknown values of enumerations', async () => {
    const near = (word: string) => [word.toUpperCase(), ` ${word}`, `${word} `, `${word}s`];
    const never = [
      '',
      'x',
      'none ',
      'null',
      'toString',
      '__proto__',
      'constructor',
      'pub\u200blic',
    ];
    await onEveryRoute(async (route) => {
      for (const [name, field] of Object.entries(route.fields)) {
        if (!field.enum) continue;
        for (const value of [...never, ...field.enum.flatMap(near)]) {
          const answer = await send(route, { ...route.valid, [name]: value });
          assertError(answer, 400, 'BAD_REQUEST', new RegExp(`^${name}: must be one of `));
        }
      }
    });
  });

  it('unknown fields, alone or with valid ones', async () => {
    const unknown = [
      'extra',
      '',
      ' ',
      'Content',
      'NAME',
      'toString',
      'hasOwnProperty',
      'a.b',
      '$ref',
    ];
    await onEveryRoute(async (route) => {
      for (const name of unknown) {
        const answer = await send(route, { ...route.valid, [name]: 'x' });
        assertError(answer, 400, 'BAD_REQUEST', /: is not a known field/);
        assert.ok(answer.json.error.message.startsWith(`${name}: `));
        assert.equal((await send(route, { [name]: 'x' })).status, 400);
      }
    });
  });

  it('a value with several forms: the field of the form that is meant', async () => {
    const cases: [edit: unknown, start: string][] = [
      [5, 'edits.0: must be a JSON object'],
      [{}, 'edits.0.op: is required'],
      [{ op: 'other', old: 'x', new: 'y' }, 'edits.0.op: must be one of replace, insert, append,'],
      [{ op: 'other' }, 'edits.0.op: must be one of replace, insert, append,'],
      [{ op: 5, content: 'x' }, 'edits.0.op: must be '],
      [{ op: 'replace', old: 'x' }, 'edits.0.new: is required'],
      [{ op: 'append' }, 'edits.0.content: is required'],
      [{ op: 'append', content: 5 }, 'edits.0.content: must be a string'],
      [{ op: 'append', content: 'x', extra: 1 }, 'edits.0.extra: is not a known field'],
      [{ op: 'insert', before: 'x' }, 'edits.0.content: is required'],
      [{ op: 'insert', after: 'x' }, 'edits.0.content: is required'],
      [
        { op: 'insert', before: 'x', after: 'y', content: 'z' },
        'edits.0.after: is not a known field',
      ],
      [
        { op: 'section', heading: 'x', mode: 'other', content: 'y' },
        'edits.0.mode: must be one of',
      ],
      [{ op: 'restore', revision: '1' }, 'edits.0.revision: must be an integer'],
    ];
    const found = routes.filter(({ template }) => template.endsWith('/edits'));
    assert.equal(found.length, 2);
    for (const route of found) {
      for (const [edit, start] of cases) {
        const { status, json } = await send(route, { edits: [edit] });
        const { message } = json.error;
        assert.deepEqual([status, message.slice(0, start.length)], [400, start], message);
      }
    }
  });

  it('fields that could reach a prototype', async () => {
    await onEveryRoute(async (route) => {
      const [name = ''] = Object.keys(route.fields);
      const value = JSON.stringify(route.valid[name] ?? null);
      for (const text of [
        `{"__proto__":{"${name}":${value}}}`,
        `{"\\u005f_proto__":{"${name}":${value}}}`,
        `{"${name}":${value},"__proto__":null}`,
        `{"${name}":{"__proto__":{"x":1}}}`,
        `{"constructor":{"prototype":{"${name}":${value}}}}`,
      ]) {
        assertError(await withBytes(route, text), 400, 'BAD_REQUEST', /__proto__ or constructor/);
      }
      const answer = await send(route, { ...route.valid, constructor: 1 });
      assertError(answer, 400, 'BAD_REQUEST', /^constructor: is not a known field/);
    });
    assert.equal(({} as { x?: unknown }).x, undefined);
  });

  it('text that can’t be stored: U+0000 and lone surrogates', async () => {
    await onEveryRoute(async (route) => {
      for (const [name, field] of Object.entries(route.fields)) {
        if (field.format !== 'text' || field.enum) continue;
        for (const text of ['a\0b', '\0', '\ud800', 'a\udc00b', '\udc00\ud800', '\ud83d']) {
          const answer = await send(route, { ...route.valid, [name]: text });
          assertError(answer, 400, 'BAD_REQUEST', new RegExp(`^${name}: must be well-formed`));
        }
      }
      const answer = await send(route, { ...route.valid, '\ud800': 1 });
      assertError(answer, 400, 'BAD_REQUEST', /is not a known field/);
    });
  });

  it('bytes that aren’t UTF-8', async () => {
    const sequences = ['ff', 'c0af', 'c080', 'eda080', 'f4908080', 'e282', '80', 'f8888080', 'fe'];
    await onEveryRoute(async (route) => {
      const [before = '', after = ''] = JSON.stringify({ ...route.valid, x: '|' }).split('|');
      for (const hex of sequences) {
        const bytes = Buffer.concat([
          Buffer.from(before),
          Buffer.from(hex, 'hex'),
          Buffer.from(after),
        ]);
        assertError(await withBytes(route, bytes), 400, 'BAD_REQUEST', /^body: is not UTF-8/);
      }
      const utf16 = Buffer.from(BOM + JSON.stringify(route.valid), 'utf16le');
      assertError(await withBytes(route, utf16), 400, 'BAD_REQUEST', /^body: is not UTF-8/);
    });
  });

  it('nesting 10,000 and 200,000 levels deep', async () => {
    await onEveryRoute(async (route) => {
      const [name = ''] = Object.keys(route.fields);
      for (const levels of [10_000, 200_000]) {
        const deep = '['.repeat(levels) + ']'.repeat(levels);
        for (const body of [deep, whole(route, name, deep), '['.repeat(levels)]) {
          const answer = await withBytes(route, body);
          assertError(answer, 400, 'BAD_REQUEST', /^body: is nested more than 100 levels deep/);
        }
      }
      const objects = `${'{"a":'.repeat(90)}{"__proto__":1}${'}'.repeat(90)}`;
      assertError(await withBytes(route, objects), 400, 'BAD_REQUEST', /__proto__/);
    });
  });

  it('content types that aren’t JSON', async () => {
    const types = [
      'text/plain',
      'text/json',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      'multipart/form-data; boundary=x',
      'application/ld+json',
      'application/merge-patch+json',
      'application/json;charset=utf-16',
      'application/json; charset=iso-8859-1',
      'application/json;\tcharset=utf-8',
      'application\t/json',
      'application/json; v=1',
      'application/json, text/plain',
      'text/plain, application/json',
      'application/json;;',
      'application/json; charset=utf-8; charset=utf-16',
      'json',
      '/',
      '*/*',
      'application/',
    ];
    await onEveryRoute(async (route) => {
      const body = JSON.stringify(route.valid);
      for (const type of types) {
        const answer = await withBytes(route, body, { 'content-type': type });
        assertError(answer, 400, 'BAD_REQUEST', /^Content-Type: must be application\/json/);
      }
      assertError(await withBytes(route, body, {}), 400, 'BAD_REQUEST', /^Content-Type: /);
    });
  });

  it('content encodings', async () => {
    await onEveryRoute(async (route) => {
      const zipped = gzipSync(JSON.stringify(route.valid));
      for (const encoding of ['gzip', 'br', 'deflate', 'gzip, identity', 'x']) {
        const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
        const answer = await withBytes(route, zipped, headers);
        assertError(answer, 400, 'BAD_REQUEST', /^Content-Encoding: must be identity/);
      }
    });
  });

  it('names that are too long or invalid', async () => {
    await onEveryRoute(async (route) => {
      for (const [field, values] of Object.entries(BAD_NAMES)) {
        if (!(field in route.fields)) continue;
        for (const value of values) {
          const answer = await send(route, { ...route.valid, [field]: value });
          assertError(answer, 400, 'BAD_REQUEST', new RegExp(`^${field}: (must|use) `));
        }
      }
    });
  });

  it('an If-Match that isn’t a list of entity tags', async () => {
    await onEveryRoute(async (route) => {
      if (!/^\/\w+\/\{owner\}\/\{name\}$/.test(route.template)) return;
      for (const tag of ['x', '"', '"a" "b"', '*, "a"', ',', 'w/"a"', '']) {
        const headers = { 'if-match': tag };
        const answers = [
          await route.caller.patch(route.path, route.valid, headers),
          await route.caller.delete(route.path, headers),
        ];
        for (const answer of answers) assertError(answer, 400, 'BAD_REQUEST', /^If-Match: /);
      }
    });
  });
});

/** A new one is listed here; all others must say what they miss. */
const OPTIONAL_BODIES = [
  '/admin/quotas/{owner}',
  '/orgs/{org}/members/{username}',
  '/trash/{id}/restore',
  '/…/{owner}/{name}/reviewers/{username}',
  '/…/{owner}/{name}/reviewers/{username}',
  '/…/{owner}/{name}/revisions/{number}/restore',
  '/…/{owner}/{name}/revisions/{number}/restore',
];

const BAD_NAMES: Record<string, string[]> = {
  name: ['x'.repeat(101), '\u{1f600}'.repeat(101), '', ' ', '\t\n', 'x'.repeat(100_000)],
  namespace: [
    '',
    'x'.repeat(40),
    '-x',
    'x-',
    'a--b',
    'a b',
    'a_b',
    'a.b',
    'ä',
    '\u212aa',
    'a/b',
    '..',
  ],
};

/** A valid body with one wrong value. */
function whole({ valid }: BodyRoute, name: string, json: string): string {
  return JSON.stringify({ ...valid, [name]: 0 }).replace(`"${name}":0`, `"${name}":${json}`);
}

/** The message for a missing value. */
function missing({ fields, required: [required] }: BodyRoute): RegExp {
  if (required) return new RegExp(`^${required}: is required`);
  return new RegExp(`^body: must have at least one of ${Object.keys(fields).join(', ')}`);
}

/** Whether a value has a type that the field allows. */
function fits({ type, minimum = 1 }: Field, value: unknown): boolean {
  return [type].flat().some((one) => {
    if (one === 'integer') return value === 1 || (value === 0 && minimum <= 0);
    if (one === 'array') return Array.isArray(value);
    if (one === 'null') return value === null;
    return typeof value === one && value !== null;
  });
}
