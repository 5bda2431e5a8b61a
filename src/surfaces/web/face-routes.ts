import type { FastifyInstance } from 'fastify';
import { accentStyles } from './accent.ts';
import type { Site } from './pages/assets.ts';
import { SVG_TYPE } from './security-headers.ts';

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
