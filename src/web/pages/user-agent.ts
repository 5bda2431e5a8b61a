/** In the order in which a later one poses as an earlier one. */
const BROWSERS: [name: string, says: RegExp][] = [
  ['Edge', /\bEdg/],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /(Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
];

const SYSTEMS: [name: string, says: RegExp][] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
];

/**
 * A browser in people's words, as far as it can be told from what it calls itself: to recognise
 * one's own, nothing more.
 *
 * @param text a User-Agent header
 */
export function describeUserAgent(text: string): string {
  const nameIn = (known: [string, RegExp][]) => known.find(([, says]) => says.test(text))?.[0];
  const [browser, system] = [nameIn(BROWSERS), nameIn(SYSTEMS)];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? (text.trim().slice(0, 60) || 'Unknown browser');
}
