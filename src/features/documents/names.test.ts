import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { assertError, type Client, startService } from '../../../test/harness.ts';
import {
  ALL_KINDS,
  collaborate,
  documentBody,
  expectStatus,
  join,
  makeDocument,
  makeOrganization,
} from '../../../test/rest/scenario.ts';

const service = await startService();
after(() => service.stop());
const ada = await service.user('ada');

describe('A taken name', () => {
  for (const kind of ALL_KINDS) {
    const create = (client: Client, name: string, org?: string) =>
      client.post(org ? `/orgs/${org}/${kind.segment}` : `/user/${kind.segment}`, {
        ...documentBody(kind, { name }),
      });

    it(`a ${kind.kind}: the message suggests a free one, on create and rename`, async () => {
      const owner = await service.user(`planner-${kind.kind}`);
      const path = await makeDocument(owner, 'plan', { kind });
      const yours = (free: string) =>
        new RegExp(`^name: you already have a ${kind.kind} named “plan”\\. “${free}” is free\\.$`);
      assertError(await create(owner, 'Plan'), 422, 'UNPROCESSABLE', yours('plan-2'));
      await makeDocument(owner, 'plan-2', { kind });
      await makeDocument(owner, 'plan-4', { kind });
      assertError(await create(owner, 'plan'), 422, 'UNPROCESSABLE', yours('plan-3'));
      const other = await makeDocument(owner, 'other', { kind });
      assertError(
        await owner.patch(other, { name: 'plan' }),
        422,
        'UNPROCESSABLE',
        yours('plan-3'),
      );
      // For someone who can write but isn't the owner.
      const grace = await service.user(`grace-${kind.kind}`);
      await collaborate(owner, other, grace, 'write');
      const hers = new RegExp(
        `^name: ${owner.username} already has a ${kind.kind} named “plan”\\. “plan-3” is free`,
      );
      assertError(await grace.patch(other, { name: 'plan' }), 422, 'UNPROCESSABLE', hers);
      const free = await expectStatus(owner.patch(other, { name: 'plan-3' }), 200);
      assert.equal(free.data.name, 'plan-3');
      assert.equal((await owner.get(path)).data.name, 'plan');
    });

    it(`a ${kind.kind}: the free name is within the limit`, async () => {
      const long = 'x'.repeat(100);
      const owner = await service.user(`long-${kind.kind}`);
      await makeDocument(owner, long, { kind });
      const refused = await create(owner, long);
      assert.equal(refused.status, 422);
      const free = /“([^”]+)” is free/.exec(refused.text)?.[1] ?? '';
      assert.equal(free, `${'x'.repeat(98)}-2`);
      assert.equal((await create(owner, free)).status, 201);
    });

    it(`a ${kind.kind}: a private document’s name is taken too, but not shown`, async () => {
      const org = `guild-${kind.kind}`;
      const member = await service.user(`member-${kind.kind}`);
      await makeOrganization(ada, org);
      await join(ada, org, member);
      const hidden = await makeDocument(ada, 'secret', { kind, org, visibility: 'private' });
      await expectStatus(member.get(hidden), 404);
      const refused = await create(member, 'secret', org);
      assertError(refused, 422, 'UNPROCESSABLE', /named “secret”\. “secret-2” is free\.$/);
      assert.doesNotMatch(refused.text, new RegExp((await ada.get(hidden)).data.id));
    });
  }
});

describe('Concurrent requests for names', () => {
  it('each name is given once, and refused requests don’t affect others', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `at-once-${index % 40}`);
    for (const kind of ALL_KINDS) {
      const answers = await Promise.all(
        names.map((name) => ada.post(`/user/${kind.segment}`, documentBody(kind, { name }))),
      );
      for (const name of new Set(names)) {
        const statuses = answers.flatMap(({ status }, at) => (names[at] === name ? [status] : []));
        const [made, ...refused] = statuses.sort();
        assert.equal(made, 201, name);
        assert.ok(refused.every((status) => status === 422));
        await expectStatus(ada.get(`/${kind.segment}/ada/${name}`), 200);
      }
      const list = await ada.get(`/user/${kind.segment}?per_page=1`);
      assert.match(list.headers.get('link') ?? '', /[?&]page=40[^,]*rel="last"/);
    }
  });
});

describe('Namespaces', () => {
  const make = (namespace: string) => ada.post('/user/orgs', { namespace, name: 'Name' });

  it('1 to 39 of a-z, 0-9 and single inner hyphens; lowercased', async () => {
    const accepted: [string, string][] = [
      ['a', 'a'],
      ['7', '7'],
      ['a-b-c', 'a-b-c'],
      ['0x-9', '0x-9'],
      ['MiXeD-Case', 'mixed-case'],
      ['z'.repeat(39), 'z'.repeat(39)],
    ];
    for (const [given, namespace] of accepted) {
      const answer = await make(given);
      assert.equal(answer.status, 201, `${given}: ${answer.text}`);
      assert.equal(answer.data.namespace, namespace);
      assert.equal((await ada.get(`/orgs/${given.toUpperCase()}`)).data.namespace, namespace);
    }
  });

  it('invalid: 400', async () => {
    const refused = [
      '',
      ' ',
      '-',
      '-a',
      'a-',
      'a--b',
      'a_b',
      'a.b',
      'a b',
      ' a',
      'a ',
      'a/b',
      '.',
      '..',
      'z'.repeat(40),
      'é',
      'a\u0301',
      'ａ',
      '٣',
      'a\u200bb',
      'a\nb',
      'a\n',
      'a%20b',
      // Look-alikes that fold to ASCII: the Kelvin sign, a dotless and a dotted i.
      '\u212Aelvin',
      'd\u0131screet',
      '\u0130stanbul',
      '\u017Fharp',
    ];
    for (const namespace of refused) {
      assertError(await make(namespace), 400, 'BAD_REQUEST', /namespace/);
    }
  });

  it('reserved: 422, whatever the case', async () => {
    for (const namespace of ['admin', 'api', 'WWW', 'Support', 'security', 'healthz', 'readyz']) {
      assertError(await make(namespace), 422, 'UNPROCESSABLE', /namespace/);
      assertError(await ada.get(`/orgs/${namespace}`), 404, 'NOT_FOUND');
    }
  });

  it('taken: 422; users and organizations share one set', async () => {
    await makeOrganization(ada, 'shared-set');
    for (const namespace of ['shared-set', 'SHARED-set', 'ada', 'ADA']) {
      assertError(await make(namespace), 422, 'UNPROCESSABLE', /namespace/);
    }
    await assert.rejects(service.user('shared-set'), { code: 'UNPROCESSABLE' });
    await assert.rejects(service.user('Shared-Set'), { code: 'UNPROCESSABLE' });
  });
});

describe('Document names', () => {
  it('normalised: NFC, trimmed, lowercased, runs of white space become one hyphen', async () => {
    const cases: [string, string][] = [
      ['Release Notes', 'release-notes'],
      ['  a \t\n b\u00a0\u2003c  ', 'a-b-c'],
      ['E\u0301te\u0301', 'été'],
      ['ΑΣ', 'ας'],
      ['\u0130x', 'i\u0307x'],
      ['J\u030Cx', '\u01F0x'],
      ['\u212Aelvin', 'kelvin'],
      ['snake_case.and-Kebab', 'snake_case.and-kebab'],
      ['日本語 メモ', '日本語-メモ'],
      ['हिन्दी', 'हिन्दी'],
      ['٣', '٣'],
      ['...', '...'],
      ['md', 'md'],
      ['.md.txt', '.md.txt'],
      ['a--b', 'a--b'],
      ['-', '-'],
      ['x'.repeat(100), 'x'.repeat(100)],
      ['𝒳'.repeat(100), '𝒳'.repeat(100)],
      [`  ${'y'.repeat(100)}  `, 'y'.repeat(100)],
    ];
    for (const [given, name] of cases) {
      const answer = await ada.post('/briefs', { content: 'x', name: given });
      assert.equal(answer.status, 201, `${given}: ${answer.text}`);
      assert.equal(answer.data.name, name);
      assert.equal(answer.data.fullName, `ada/${name}`);
      assert.equal(answer.data.url, `${service.webUrl}/ada/${encodeURIComponent(name)}`);
      for (const spelling of [given, name, ` ${given} `]) {
        const path = `/briefs/ada/${encodeURIComponent(spelling)}`;
        assert.equal((await ada.get(path)).data?.name, name, path);
      }
      const again = await ada.post('/briefs', { content: 'x', name });
      assertError(again, 422, 'UNPROCESSABLE', /name/);
    }
  });

  it('anything else: 400, on create and update', async () => {
    const path = await makeDocument(ada, 'keeps-its-name');
    const refused = [
      '',
      '   ',
      '.',
      '..',
      ' . ',
      'a/b',
      'a\\b',
      'a?b',
      'a#b',
      'a%b',
      'a:b',
      'a+b',
      'a&b',
      '<b>',
      '"',
      "'",
      '`',
      '😀',
      'a\u200bb',
      'a\u202eb',
      'a\u0001b',
      'a\u0000b',
      '½',
      '€',
      'notes.md',
      'NOTES.MD',
      'page.html',
      '.md',
      '.html',
      'a.md ',
      'x'.repeat(101),
      'a\ud800',
      '\u00ad',
      'a\u2044b',
      'a·b',
      'a—b',
    ];
    for (const name of refused) {
      for (const answer of [
        await ada.post('/briefs', { content: 'x', name }),
        await ada.patch(path, { name }),
      ]) {
        assertError(answer, 400, 'BAD_REQUEST', /name/);
      }
    }
    assert.equal((await ada.get(path)).data.name, 'keeps-its-name');
  });

  it('the kinds of one owner have separate sets of names', async () => {
    for (const kind of ALL_KINDS) {
      const body = documentBody(kind, { name: 'one-per-kind' });
      await expectStatus(ada.post(`/user/${kind.segment}`, body), 201);
      assertError(await ada.post(`/user/${kind.segment}`, body), 422, 'UNPROCESSABLE');
    }
  });

  it('every accepted name works in its address and url, in any spelling', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
      fc.stringMatching(/^[\p{L}\p{M}\p{Nd}\-_. ]{1,40}$/u),
      fc.stringMatching(/^[A-Za-z0-9\-_. ]{1,120}$/),
    );
    await fc.assert(
      fc.asyncProperty(text, async (given) => {
        const made = await ada.post('/briefs', { content: 'x', name: given });
        fc.pre(made.status !== 422);
        if (made.status === 400) {
          assertError(made, 400, 'BAD_REQUEST', /name/);
          return;
        }
        assert.equal(made.status, 201, made.text);
        const { id, name, url, fullName } = made.data;
        assert.ok(name.length > 0 && [...name].length <= 100);
        assert.match(name, /^[\p{L}\p{M}\p{Nd}\-_.]+$/u);
        assert.equal(name, name.normalize('NFC'));
        for (const spelling of [given, name]) {
          const answer = await ada.get(`/briefs/ada/${encodeURIComponent(spelling)}`);
          assert.equal(answer.data?.id, id, JSON.stringify(given));
        }
        const { pathname } = new URL(url);
        assert.equal(decodeURIComponent(pathname), `/${fullName}`);
        assert.equal(made.headers.get('location'), `${service.baseUrl}/briefs${pathname}`);
        await expectStatus(ada.delete(`/briefs${pathname}`), 204);
      }),
      { numRuns: 150 },
    );
  });
});

describe('Generated names of briefs', () => {
  const generate = async (content: string) => {
    const answer = await ada.post('/briefs', { content });
    assert.equal(answer.status, 201, `${content}: ${answer.text}`);
    await expectStatus(ada.get(`/briefs/ada/${encodeURIComponent(answer.data.name)}`), 200);
    return answer.data.name as string;
  };

  it('come from the first heading, ATX or setext, inline markup removed', async () => {
    const cases: [string, string][] = [
      ['# Plain Title', 'plain-title'],
      ['intro\n\n### Deeper *first*\n\n# Top', 'deeper-first'],
      ['Setext Title\n===\n\n# Later', 'setext-title'],
      ['Second Level\n---\n', 'second-level'],
      ['# **Bold** _and_ `code` [link](https://example.com)', 'bold-and-code-link'],
      ['# Closed ATX ##', 'closed-atx'],
      ['```\n# not a heading\n```\n\n# After the code', 'after-the-code'],
      ['    # indented code\n\n# Real one', 'real-one'],
      ['#nospace\n\n# Spaced', 'spaced'],
      ['# Über Ärger: ein_Test, v1.2!', 'über-ärger-ein_test-v1.2'],
      ['# Dollars $ & dashes — done', 'dollars-dashes-done'],
      ['# E\u0301tude', 'étude'],
      ['# 😀\n\n# Not the first', 'untitled'],
      ['# .. \n', 'untitled'],
    ];
    for (const [content, name] of cases) {
      const made = await generate(content);
      if (name === 'untitled') assert.match(made, /^untitled-[a-z0-9]+$/, content);
      else assert.equal(made, name, content);
    }
  });

  it('are cut at 100 characters', async () => {
    assert.equal(await generate(`# ${'Ab'.repeat(80)}`), 'ab'.repeat(50));
    assert.equal(await generate(`# ${'𝒴'.repeat(120)}`), '𝒴'.repeat(100));
  });

  it('don’t end in .md or .html', async () => {
    for (const heading of ['Readme.md', 'Index.HTML']) {
      assert.doesNotMatch(await generate(`# ${heading}`), /\.(md|html)$/);
    }
  });

  it('untitled- and a random suffix without a usable heading, each different', async () => {
    const names = new Set<string>();
    for (const content of ['', 'text', '# ', '# !!!', '#', 'no\n\nheading', '<h1>x</h1>', '> q']) {
      const name = await generate(content);
      assert.match(name, /^untitled-[a-z0-9]{4,12}$/);
      names.add(name);
    }
    assert.equal(names.size, 8);
  });

  it('that are taken: 422, like given ones', async () => {
    await generate('# Twice');
    const again = await ada.post('/briefs', { content: '# Twice' });
    assertError(again, 422, 'UNPROCESSABLE', /name/);
  });

  it('are overridden by a given name', async () => {
    const made = await ada.post('/briefs', { content: '# Heading', name: 'given' });
    assert.equal(made.data.name, 'given');
  });
});
