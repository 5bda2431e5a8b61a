import { strict as assert } from 'node:assert';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { formatHex, wcagContrast } from 'culori';
import { startService } from '../../../test/harness.ts';
import { newVisitor } from '../../../test/sign-in/visitor.ts';
import { accentStyles } from './face-routes.ts';

const TOKENS = new URL('../../../../src/surfaces/web/client/tokens.css', import.meta.url);

/** The light and dark values of the colours in a style sheet. */
function colorsIn(css: string): Map<string, [light: string, dark: string]> {
  const found = css.matchAll(/--([\w-]+): light-dark\((#\w+), (#\w+)\)/g);
  return new Map(
    Array.from(found, ([, name, light, dark]) => [
      name as string,
      [light as string, dark as string],
    ]),
  );
}

describe('An accent of one’s own', () => {
  const tokens = colorsIn(readFileSync(TOKENS, 'utf8'));
  const colors = Array.from({ length: 72 }, (_, step) =>
    [0.02, 0.1, 0.37].map((c) => formatHex({ mode: 'oklch', l: 0.6, c, h: step * 5 })),
  ).flat();

  it('is readable whatever the colour, in both themes', () => {
    for (const color of [...colors, '#000000', '#ffffff', '#ffff00', '#0000ff']) {
      const own = colorsIn(accentStyles(color));
      assert.deepEqual([...own.keys()].sort(), [
        'accent',
        'accent-strong',
        'accent-surface',
        'selection',
      ]);
      for (const [theme, name] of ['light', 'dark'].entries()) {
        const of = (role: string) => (own.get(role) ?? tokens.get(role))?.[theme] as string;
        for (const text of ['accent', 'accent-strong']) {
          for (const ground of ['paper', 'surface', 'surface-raised', 'accent-surface']) {
            const contrast = wcagContrast(of(text), of(ground));
            assert.ok(contrast >= 4.5, `${color}, ${name}: ${text} on ${ground} ${contrast}`);
          }
        }
        for (const ground of ['accent-surface', 'selection']) {
          const contrast = wcagContrast(of('ink'), of(ground));
          assert.ok(contrast >= 4.5, `${color}, ${name}: ink on ${ground} ${contrast}`);
        }
      }
    }
  });
});

describe('The look of an instance', async () => {
  const home = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  const logo = join(home, 'logo.svg');
  const SVG =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><script>alert(1)</script></svg>';
  writeFileSync(logo, SVG);
  const service = await startService({ INSTANCE_ACCENT: '#7a1f5c', INSTANCE_LOGO: logo });
  after(async () => {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  });
  const visitor = newVisitor(service);

  it('has its accent and its logo on every page', async () => {
    const { text } = await visitor.get('/sign-in');
    const [, styles] = /<link rel="stylesheet" href="(\/site\/[^"]+)"/.exec(text) ?? [];
    const css = await visitor.get(styles as string);
    assert.equal(css.text, accentStyles('#7a1f5c'));
    assert.match(css.headers.get('content-type') ?? '', /^text\/css/);
    const [, image] = /<img class="logo" src="([^"]+)"/.exec(text) ?? [];
    const shown = await visitor.get(image as string);
    assert.equal(shown.text, SVG);
    assert.equal(shown.headers.get('content-type'), 'image/svg+xml; charset=utf-8');
    // Opened by itself, it runs nothing.
    assert.match(
      shown.headers.get('content-security-policy') ?? '',
      /^default-src 'none'.*; sandbox; frame-ancestors 'none'$/,
    );
    assert.ok(text.includes(`<link rel="icon" href="${image}" type="image/svg+xml"`));
  });
});
