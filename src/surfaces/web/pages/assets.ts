import type { Face } from '../../../core/config/config.ts';

/** The built files that pages refer to. */
export const ASSET_NAMES = [
  'administration.css',
  'app.css',
  'app.js',
  'article.css',
  'comments.css',
  'comparison.css',
  'editor.css',
  'editor.js',
  'favicon.svg',
  'frame-comments.css',
  'frame-port.js',
  'page-frame.js',
  'front-dark.png',
  'front-light.png',
  'history.css',
  'icon-192.png',
  'icon-512.png',
  'icon-maskable.png',
  'icon-touch.png',
  'literata-latin-normal.400-700.woff2',
  'live.js',
  'math.css',
  'page.js',
  'passkey.js',
  'proof.js',
  'public-in-app.css',
  'reading.css',
  'reading.js',
  'security.css',
  'site.css',
  'slides.css',
  'slides.js',
  'theme.js',
  'threads.css',
  'transfer.js',
] as const;

export type AssetName = (typeof ASSET_NAMES)[number];

/** Addresses of the built files, each with a hash of its content. */
export interface Assets {
  /** Returns an address such as `/assets/reading-3fa9c1.css` for `reading.css`. */
  url(entry: AssetName): string;
}

/** What every page is rendered with. Addresses have no trailing slash. */
export interface Site {
  webUrl: string;
  baseUrl: string;
  assets: Assets;
  version: string;
  face: Face;
  /** Whether an SMTP server is set. */
  sendsMail: boolean;
  /** Whether passwords are accepted. */
  hasPasswords: boolean;
  /** Whether anyone can report a public document. */
  takesReports: boolean;
  /** Whether browsers can keep what a signed-in user reads, for when there is no network. */
  keepsCopies: boolean;
}
