import { basename } from 'node:path';
import type { FastifyReply } from 'fastify';
import type { Config } from '../config.ts';

/** The page that diagrams are drawn in; the one asset that is a document. */
const DIAGRAM_FRAME = 'diagram.html';

/**
 * Lets the page of this answer add styles that carry a number used once. The editor's library writes
 * its rules into a `style` element; every other page's policy stays without exception.
 */
export function allowStylesWith(reply: FastifyReply, nonce: string): void {
  const policy = String(reply.getHeader('content-security-policy') ?? '');
  const styles = "style-src 'self'";
  reply.header('content-security-policy', policy.replace(styles, `${styles} 'nonce-${nonce}'`));
}

/** The headers of the web host, by what is sent. */
export function webHeaders(config: Pick<Config, 'webUrl' | 'renderUrl'>): {
  page: Record<string, string>;
  markdown: Record<string, string>;
  asset: (path: string) => Record<string, string>;
} {
  const common = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    ...(config.webUrl.startsWith('https:') && {
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
    }),
  };
  return {
    page: {
      ...common,
      'content-security-policy': [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' https: http: data:",
        "font-src 'self'",
        "connect-src 'self'",
        `frame-src 'self' ${config.renderUrl}`,
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    },
    // Markdown is nobody's page: should a browser ever show it as one, it can do nothing.
    markdown: { 'content-security-policy': "default-src 'none'; sandbox" },
    // Diagrams are drawn in a frame of no origin, which must still be able to load its script.
    asset: (path) => ({
      ...common,
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
      ...(basename(path) === DIAGRAM_FRAME
        ? {
            'cache-control': 'public, no-cache',
            'content-security-policy': [
              'sandbox allow-scripts',
              "default-src 'none'",
              `script-src ${config.webUrl}/assets/`,
              "style-src 'unsafe-inline'",
              'img-src data:',
              'font-src data:',
              `frame-ancestors ${config.webUrl}`,
            ].join('; '),
          }
        : {
            'cache-control': 'public, max-age=31536000, immutable',
            'content-security-policy': "default-src 'none'",
          }),
    }),
  };
}
