import type { Face } from '../../../core/config/config.ts';

/** Addresses of the built files, each with a hash of its content. */
export interface Assets {
  /**
   * Returns an address such as `/assets/page-3fa9c1.js` for `page.js`.
   *
   * @throws Error if there is no such file
   */
  url(name: string): string;
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
  hasPasswords: boolean;
  /** Whether anyone can report a public document. */
  takesReports: boolean;
}
