import { hash } from 'node:crypto';

/** Background and text colours, each pair with a contrast above 4.5:1. */
const COLOURS = [
  ['#e7eef8', '#1c4079'],
  ['#e3f1e7', '#1d5a37'],
  ['#f0e8f8', '#573285'],
  ['#fbeed6', '#6e4605'],
  ['#f9e4e1', '#8a2822'],
  ['#dff1f3', '#165661'],
  ['#f8e4ef', '#7a2556'],
  ['#ecebdd', '#4c4a1c'],
] as const;

/**
 * Draws the picture of an owner who has uploaded none: initials on a colour, both derived from the
 * namespace.
 *
 * @param namespace normalised, so ASCII letters, digits and hyphens
 */
export function drawPicture(namespace: string): string {
  const [first = '', second] = namespace.split('-');
  const initials = second ? `${first[0]}${second[0]}` : first.slice(0, 2);
  const [digit = '0'] = hash('sha256', namespace);
  const [background, ink] = COLOURS[Number.parseInt(digit, 16) % COLOURS.length] ?? COLOURS[0];
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96" viewBox="0 0 96 96">' +
    `<rect width="96" height="96" fill="${background}"/>` +
    `<text x="48" y="49" fill="${ink}" font-family="system-ui, sans-serif" font-size="38" ` +
    'font-weight="600" text-anchor="middle" dominant-baseline="central">' +
    `${initials.toUpperCase()}</text></svg>`
  );
}
