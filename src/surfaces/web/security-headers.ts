import { basename } from 'node:path';
import type { FastifyReply } from 'fastify';
import type { Config } from '../../core/config/config.ts';

/** The content type of briefs' Markdown. */
export const MARKDOWN_TYPE = 'text/markdown; charset=utf-8';

/** The content type of SVG, which is XML. */
export const SVG_TYPE = 'image/svg+xml; charset=utf-8';

/** Lets scripts of every site read what is public for everyone, without cookies. */
export const FOR_EVERY_SITE = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Last-Modified, Link',
  'cross-origin-resource-policy': 'cross-origin',
} as const;

/** The page that draws diagrams, the only asset that is an HTML document. */
const DIAGRAM_FRAME = 'diagram.html';

/**
 * Allows styles with a nonce in this response. The editor's library writes its rules into a `style`
 * element. No other page needs this exception.
 */
export function allowStylesWith(reply: FastifyReply, nonce: string): void {
  const policy = String(reply.getHeader('content-security-policy') ?? '');
  const styles = "style-src 'self'";
  reply.header('content-security-policy', policy.replace(styles, `${styles} 'nonce-${nonce}'`));
}

/** The web host's headers, by type of content. */
export function webHeaders(config: Pick<Config, 'webUrl' | 'renderUrl'>): {
  page: Record<string, string>;
  markdown: Record<string, string>;
  asset: (path: string) => Record<string, string>;
} {
  const common = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
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
        "worker-src 'self'",
        "manifest-src 'self'",
        `frame-src 'self' ${config.renderUrl}`,
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    },
    // Even if a browser shows Markdown as a page, nothing in it can run or load.
    markdown: {
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
    },
    // The frame that draws diagrams has an opaque origin, and must still load its script.
    asset: (path) => ({
      ...common,
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
      // XML names its encoding.
      ...(/\.svg(\.|$)/.test(path) && { 'content-type': SVG_TYPE }),
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
            'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
          }),
    }),
  };
}
