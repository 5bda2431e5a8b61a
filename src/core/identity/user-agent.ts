/** In order, because a browser's text can also match patterns after its own. */
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
 * Describes a browser as in “Firefox on Linux”, so that people recognize their own. Not reliable.
 *
 * @param text a User-Agent header
 */
export function describeUserAgent(text: string): string {
  const nameIn = (known: [string, RegExp][]) => known.find(([, says]) => says.test(text))?.[0];
  const [browser, system] = [nameIn(BROWSERS), nameIn(SYSTEMS)];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? (text.trim().slice(0, 60) || 'Unknown browser');
}
