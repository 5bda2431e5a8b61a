import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openapi, profilePage, readingPage, site } from '../../../test/web/samples.ts';
import icons from '../../../vendor/lucide/icons.json' with { type: 'json' };
import { formatSize } from '../../base/text/size.ts';
import { renderErrorPage } from '../../surfaces/web/pages/error-page.tsx';
import { renderFrontPage } from '../library/front-page.tsx';
import { renderProfilePage } from '../profiles/profile-page.tsx';
import { renderApiReferencePage } from '../reference/api-reference-page.tsx';
import { renderReadingPage } from './reading-page.tsx';

const HOSTILE = `"'><script>alert(1)</script><img src=x onerror=alert(2)>`;

const documents = (name: string) => [
  {
    kind: 'brief' as const,
    name,
    title: name,
    url: 'https://briefs.example/x',
    updatedAt: '2026-05-01T00:00:00Z',
  },
];

const pages: Record<string, string> = {
  reading: renderReadingPage(site, readingPage()),
  fallback: renderReadingPage(site, readingPage({ html: undefined, source: HOSTILE })),
  profile: renderProfilePage(site, profilePage({ documents: documents('a'), total: 1 })),
  'empty profile': renderProfilePage(site, profilePage()),
  front: renderFrontPage(site, { signUpsOpen: true }),
  error: renderErrorPage(site, { status: 404, title: 'Nothing here', message: 'No such brief.' }),
  reference: renderApiReferencePage(site, openapi),
};

const hostilePages: Record<string, string> = {
  reading: renderReadingPage(
    site,
    readingPage({
      owner: HOSTILE,
      name: HOSTILE,
      title: HOSTILE,
      description: HOSTILE,
      updatedBy: HOSTILE,
      headings: Array.from({ length: 3 }, () => ({ level: 2, id: HOSTILE, text: HOSTILE })),
    }),
  ),
  profile: renderProfilePage(
    site,
    profilePage({
      owner: HOSTILE,
      displayName: HOSTILE,
      summary: HOSTILE,
      documents: documents(HOSTILE),
      total: 1,
    }),
  ),
  error: renderErrorPage(site, { status: 500, title: HOSTILE, message: HOSTILE }),
  reference: renderApiReferencePage(site, {
    info: { title: HOSTILE, version: HOSTILE, description: HOSTILE },
    paths: {
      [`/${HOSTILE}`]: {
        get: { summary: HOSTILE, description: HOSTILE, tags: [HOSTILE], 'x-permission': HOSTILE },
      },
    },
  }),
};

const count = (html: string, pattern: RegExp) => html.match(pattern)?.length ?? 0;

describe('Every page', () => {
  for (const [name, html] of Object.entries(pages)) {
    it(`${name}: is a complete document with landmarks and one top heading`, () => {
      assert.match(html, /^<!doctype html><html lang="en">/);
      assert.equal(count(html, /<main[ >]/g), 1);
      assert.equal(count(html, /<h1[ >]/g), 1);
      assert.match(html, /<header class="bar">/);
      assert.match(html, /<footer /);
      assert.match(html, /<a class="skip-link" href="#main">.*<main id="main"/s);
      assert.match(html, /<title>[^<]+ — Briefs<\/title>/);
      assert.match(html, /<meta name="color-scheme" content="light dark"\/>/);
    });

    it(`${name}: has no inline script, style or handler`, () => {
      assert.equal(
        count(html, /<script/g),
        count(html, /<script (type="module" )?src="\/assets\//g),
      );
      assert.doesNotMatch(html, /<style|<[^>]+\sstyle=|<[^>]+\son[a-z]+=|javascript:/i);
    });
  }

  for (const [name, html] of Object.entries(hostilePages)) {
    it(`${name}: shows hostile names as text`, () => {
      assert.equal(count(html, /<script/g), name === 'reading' ? 3 : 2);
      assert.doesNotMatch(html, /<img src=x/);
      assert.match(html, /&lt;script/);
      // Nothing escapes from an attribute either.
      assert.doesNotMatch(html, /<[^<>]*"'(?!&)/);
    });
  }
});

describe('The reading page', () => {
  it('lists headings of levels 2 to 4, nested, folded and in the margin', () => {
    const { reading = '' } = pages;
    const list =
      '<ol><li><a href="#a">A</a><ol><li><a href="#b">B</a></li></ol></li>' +
      '<li><a href="#c">C</a></li></ol>';
    assert.equal(reading.split(list).length - 1, 2);
  });

  it('has no list with fewer than three headings', () => {
    const headings = readingPage().headings.slice(0, 3);
    const html = renderReadingPage(site, readingPage({ headings }));
    assert.doesNotMatch(html, /aria-label="Contents"/);
  });

  it('shows its name as heading if the document has none', () => {
    const html = renderReadingPage(site, readingPage({ html: '<p>Text</p>', headings: [] }));
    assert.match(html, /<h1 class="visually-hidden unless-printed">Notes<\/h1>/);
  });

  it('contains the Markdown only if it can’t be rendered', () => {
    assert.doesNotMatch(pages.reading ?? '', /SOURCE/);
    const html = renderReadingPage(site, readingPage({ html: undefined }));
    assert.match(html, /too complex to render.*<pre class="plain-source"># Notes SOURCE<\/pre>/);
  });

  it('says that it is being prepared instead of showing the Markdown', () => {
    const html = renderReadingPage(site, readingPage({ html: undefined, isLate: true }));
    assert.match(html, /being prepared. <a href="\?">Try again<\/a>/);
    assert.doesNotMatch(html, /too complex|SOURCE/);
  });

  it('has addresses, title, description and last change for programs', () => {
    const { reading = '' } = pages;
    for (const expected of [
      '<link rel="canonical" href="https://briefs.example/ada/notes"/>',
      '<link rel="alternate" type="text/markdown" href="https://briefs.example/ada/notes.md"',
      '<meta property="og:title" content="Notes"/>',
      '<meta name="description" content="Notes on the engine."/>',
      '<time datetime="2026-05-03T23:30:00.000Z"',
      '>3 May 2026</time>',
      'download="notes.md"',
    ]) {
      assert.ok(reading.includes(expected), expected);
    }
  });

  it('loads math styles only if there is math', () => {
    assert.doesNotMatch(pages.reading ?? '', /math\.css/);
    assert.match(renderReadingPage(site, readingPage({ math: true })), /math\.css/);
  });

  it('omits a deleted author', () => {
    const html = renderReadingPage(site, readingPage({ updatedBy: undefined }));
    assert.match(html, /3 May 2026<\/time> · 2 KB/);
  });
});

describe('The profile page', () => {
  it('links to the previous and next result page; the first has no number in its link', () => {
    const html = renderProfilePage(
      site,
      profilePage({ documents: documents('a'), page: 2, lastPage: 3, total: 70 }),
    );
    assert.match(html, /<a rel="prev" href="\/ada">/);
    assert.match(html, /<a rel="next" href="\/ada\?page=3">/);
    assert.match(html, /Page 2 of 3/);
  });

  it('explains an empty list', () => {
    assert.match(pages['empty profile'] ?? '', /ada has no public documents yet\./);
  });
});

describe('The API reference', () => {
  const { reference = '' } = pages;

  it('has an anchor for every operation, linked from both indexes', () => {
    for (const id of ['createbrief', 'delete-briefs-owner-name', 'get-openapi-json']) {
      assert.equal(count(reference, new RegExp(` id="${id}"`, 'g')), 1, id);
      assert.equal(count(reference, new RegExp(`<li><a href="#${id}"`, 'g')), 2, id);
    }
  });

  it('shows fields with types and limits, with references resolved', () => {
    assert.match(reference, /<code>content<\/code> <span class="required">required</);
    assert.match(reference, /at most 921,600 characters/);
    assert.match(reference, /&quot;public&quot; \| &quot;private&quot;/);
    assert.match(reference, /<code>data\.updatedBy<\/code>.*?string or null/);
    assert.match(reference, /<code>data\.tags\[\]\.name<\/code>/);
    assert.match(reference, /Needs: admin/);
  });

  it('has shell commands, with the token if needed', () => {
    assert.ok(reference.includes(`-d '{&quot;content&quot;:&quot;# It'\\''s&quot;}'`));
    assert.match(
      reference,
      /curl -X DELETE https:\/\/briefs\.example\/api\/briefs\/ada\/release-notes \\\n {2}-H/,
    );
    assert.match(reference, /<code>curl https:\/\/briefs\.example\/api\/openapi\.json<\/code>/);
  });
});

it('every icon has its outline, which vendor/renew.js fetches', () => {
  for (const [name, outline] of Object.entries(icons)) assert.match(outline, /^<\w+ .* \/>$/, name);
});

it('sizes are in units of 1,024', () => {
  assert.deepEqual([1, 1023, 1024, 921_600, 5 * 1024 * 1024].map(formatSize), [
    '1 byte',
    '1023 bytes',
    '1 KB',
    '900 KB',
    '5.0 MB',
  ]);
});
