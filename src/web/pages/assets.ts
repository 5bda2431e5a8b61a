/** The built files that pages name: the one list of them. */
export const ASSET_NAMES = [
  'app.css',
  'app.js',
  'article.css',
  'comparison.css',
  'editor.css',
  'editor.js',
  'favicon.svg',
  'literata-latin-wght-normal.woff2',
  'math.css',
  'page.js',
  'reading.css',
  'site.css',
  'theme.js',
  'transfer.js',
] as const;

export type AssetName = (typeof ASSET_NAMES)[number];

/** Where the built files are; their addresses carry a hash of what is in them. */
export interface Assets {
  /** `url('reading.css')` gives such as `/assets/reading-3fa9c1.css`. */
  url(entry: AssetName): string;
}

/** What every page is rendered with. Addresses are without a slash at the end. */
export interface Site {
  webUrl: string;
  baseUrl: string;
  assets: Assets;
  version: string;
}
