import { clampChroma, formatHex, oklch } from 'culori';

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
