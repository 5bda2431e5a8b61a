import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import {
  builtFile,
  CLIENT_DIR,
  clientMissing,
  clientSource,
  MANIFEST,
} from '../../../test/web/built-client.ts';
import { readingPage, site } from '../../../test/web/samples.ts';
import { renderReadingPage } from '../../features/reading/reading-page.tsx';
import { loadAssets } from './assets.ts';

const KB = 1024;

describe('The built client', { skip: clientMissing }, () => {
  const size = (name: string) => builtFile(loadAssets(MANIFEST).url(name)).length;

  it('keeps a reading page under 30 KB of script and 61 KB in all', () => {
    const script = size('theme.js') + size('live.js') + size('page.js');
    assert.ok(script <= 30 * KB, `${script} bytes of script`);
    const html = renderReadingPage({ ...site, assets: loadAssets(MANIFEST) }, readingPage());
    const all = script + size('reading.css') + size('math.css') + Buffer.byteLength(html);
    assert.ok(all <= 61 * KB, `${all} bytes in all`);
  });

  it('has page scripts that import no other file', () => {
    const { url } = loadAssets(MANIFEST);
    for (const name of ['theme.js', 'live.js', 'page.js'] as const) {
      assert.doesNotMatch(builtFile(url(name)).toString(), /\b(?:import|export)\b[\s{*"'`]/, name);
    }
  });

  it('has no style URL that the policy would refuse', () => {
    const { url } = loadAssets(MANIFEST);
    for (const name of ['reading.css', 'site.css'] as const) {
      for (const [, address] of builtFile(url(name))
        .toString()
        .matchAll(/url\(["']?([^)"']+)/g)) {
        assert.match(address ?? '', /^\/assets\//);
      }
    }
  });

  it('has the diagram frame under a fixed name', () => {
    assert.match(builtFile('/assets/diagram.html').toString(), /<script type="module" crossorigin/);
  });

  it('doesn’t touch the server’s build', () => {
    assert.ok(readdirSync(join(CLIENT_DIR, '..')).includes('client'));
  });
});

describe('loadAssets', () => {
  it('explains that the client is not built', () => {
    assert.throws(() => loadAssets('/nowhere/manifest.json'), /not built .*npm run build:client/);
  });

  it('names a missing file', () => {
    const manifest = join(mkdtempSync(join(tmpdir(), 'briefs-')), 'manifest.json');
    writeFileSync(manifest, '{"page.ts":{"file":"assets/page-1.js"}}');
    assert.throws(
      () => loadAssets(manifest, ['client/administration.css']),
      /lacks administration\.css/,
    );
  });
});

describe('Colours', () => {
  const tokens = new Map(
    [...clientSource('tokens.css').matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(
      ([, name = '', light = '', dark = '']) => [name, { light, dark }],
    ),
  );

  it('are named in one file', () => {
    // Those of the others who write, and of marks on users' pages, are only there.
    const own = ['tokens.css', 'others.css', 'frame-comments.css', 'review-frame.ts'];
    for (const path of globSync('src/**/client/**/*.{css,ts}')) {
      if (own.includes(basename(path))) continue;
      const source = readFileSync(path, 'utf8');
      assert.doesNotMatch(source, /#[0-9a-f]{3,8}\b(?!-)|\b(?:rgb|hsl|oklch)\(/i, path);
    }
  });

  const grounds = ['paper', 'surface', 'surface-raised'];
  const alerts = ['note', 'tip', 'important', 'warning', 'caution'];
  const codes = ['comment', 'keyword', 'string', 'number', 'name', 'type', 'meta'];
  const TEXT = 4.5;
  const PART = 3;
  const pairs: [string, string, number][] = [
    ...['ink', 'ink-soft', 'ink-faint', 'accent', 'accent-strong'].flatMap((text) =>
      grounds.map((ground): [string, string, number] => [text, ground, TEXT]),
    ),
    ...codes.map((code): [string, string, number] => [`code-${code}`, 'surface', TEXT]),
    ...alerts.flatMap((alert): [string, string, number][] => [
      [`alert-${alert}`, `alert-${alert}-surface`, TEXT],
      ['ink', `alert-${alert}-surface`, TEXT],
      ['accent', `alert-${alert}-surface`, TEXT],
    ]),
    ['code-added', 'code-added-surface', TEXT],
    ['code-removed', 'code-removed-surface', TEXT],
    ['ink', 'mark', TEXT],
    ['ink', 'accent-surface', TEXT],
    ['ink', 'selection', TEXT],
    ['line-strong', 'paper', PART],
    ['line-strong', 'surface', PART],
  ];

  for (const theme of ['light', 'dark'] as const) {
    it(`reach WCAG AA in the ${theme} theme`, () => {
      for (const [over, under, least] of pairs) {
        const ratio = contrast(tokens.get(over)?.[theme], tokens.get(under)?.[theme]);
        assert.ok(ratio >= least, `${over} on ${under}: ${ratio.toFixed(2)}`);
      }
    });
  }
});

/** WCAG 2.2, "contrast ratio". */
function contrast(one: string | undefined, other: string | undefined): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return ((light as number) + 0.05) / ((dark as number) + 0.05);
}

/** WCAG 2.2, "relative luminance". */
function luminance(colour: string | undefined): number {
  assert.ok(colour, 'a token is missing');
  const [red, green, blue] = [1, 3, 5].map((start) => {
    const value = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
