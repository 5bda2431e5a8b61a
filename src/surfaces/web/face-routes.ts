import { clampChroma, formatHex, oklch } from 'culori';
import type { FastifyInstance } from 'fastify';
import type { Site } from './pages/assets.ts';
import { SVG_TYPE } from './security-headers.ts';

/**
 * The lightness of each role of the accent in the light and the dark theme (OKLCH, 0 to 1), and the most
 * colour that it has. They are those of `tokens.css`, so that every hue is as readable as the default.
 */
const ROLES: Record<
  string,
  [light: number, dark: number, lightChroma: number, darkChroma: number]
> = {
  accent: [0.45, 0.8, 0.2, 0.12],
  'accent-strong': [0.37, 0.87, 0.2, 0.08],
  'accent-surface': [0.945, 0.315, 0.02, 0.05],
  selection: [0.9, 0.41, 0.05, 0.09],
};

/**
 * Writes the style sheet that gives an instance its own accent: the hue of a colour, at the lightness
 * that text and buttons need in both themes.
 *
 * @param color `#rrggbb`
 */
export function accentStyles(color: string): string {
  const { c, h = 0 } = oklch(color) ?? { c: 0 };
  const at = (l: number, most: number) =>
    formatHex(clampChroma({ mode: 'oklch', l, c: Math.min(c, most), h }, 'oklch'));
  const roles = Object.entries(ROLES).map(
    ([role, [light, dark, lightChroma, darkChroma]]) =>
      `  --${role}: light-dark(${at(light, lightChroma)}, ${at(dark, darkChroma)});\n`,
  );
  return `:root {\n${roles.join('')}}\n`;
}

/** How long browsers keep these, in seconds. Their addresses change with what they show. */
const KEPT_S = 365 * 24 * 60 * 60;

/** An SVG can have scripts. As an image it runs none; opened by itself, neither. */
const ALONE = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";

/** Adds what gives an instance its own look: its accent as a style sheet, and its logo. */
export function addFaceRoutes(app: FastifyInstance, { face: { accent, logo } }: Site): void {
  const cached = `public, max-age=${KEPT_S}, immutable`;
  if (accent !== undefined) {
    const styles = accentStyles(accent);
    app.get('/site/accent.css', (_request, reply) =>
      reply.type('text/css; charset=utf-8').header('cache-control', cached).send(styles),
    );
  }
  if (logo) {
    app.get('/site/logo', (_request, reply) =>
      reply
        .type(logo.type === 'image/svg+xml' ? SVG_TYPE : logo.type)
        .headers({ 'cache-control': cached, 'content-security-policy': ALONE })
        .send(logo.bytes),
    );
  }
}
