import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { FieldError, ServiceError } from '../../base/errors.ts';
import { KINDS } from '../../base/schema/kind.ts';
import type { Context } from '../../core/context.ts';
import { countAttempt } from '../../core/identity/attempts.ts';
import { orBadForm } from '../../surfaces/http/form-parts.ts';
import { documentPath, siblingsPath } from '../../surfaces/web/addresses.ts';
import type { AppParts } from '../../surfaces/web/app-parts.ts';
import { readForm } from '../../surfaces/web/form.ts';
import { readMultipart } from '../../surfaces/web/multipart-form.ts';
import { presentFile } from '../files/file-schema.ts';
import {
  discardUpload,
  FILE_LIMIT_BYTES,
  type StoredUpload,
  saveUpload,
  storeUpload,
} from '../files/file-service.ts';

const { contentLimitBytes } = KINDS.brief;

/** Adds the editor's background requests: previews and uploads. */
export function addWritingRoutes({ post, inTurn, context, limiter }: AppParts): void {
  post(
    '/preview',
    inTurn(async ({ request, reply, call }) => {
      await countAttempt(limiter, [['webPreview', call.actor.id]]);
      const fields = await readMultipart(request, { limitBytes: contentLimitBytes });
      const { content, owner } = readForm(fields, ['content', 'owner']);
      const document = {
        kind: 'brief',
        ownerNamespace: owner || call.actor.username,
        name: '',
      } as const;
      const base = siblingsPath(documentPath('read', document));
      const outcome = await context.markdown.previewOutcome(call.actor.id, content, { base });
      reply.header('cache-control', 'private, no-store');
      if (outcome.kind === 'too-costly') return reply.send({ html: null });
      if (outcome.kind !== 'rendered') {
        throw new ServiceError('UNAVAILABLE', 'The preview is temporarily unavailable.');
      }
      const { html, headings, math, diagrams } = outcome.result;
      return reply.send({ html, headings, math, diagrams });
    }),
  );

  post('/uploads', async ({ request, reply, call }) => {
    await countAttempt(limiter, [['webUpload', call.actor.id]]);
    const file = await saveUpload(call, await readUpload(context, request));
    return reply
      .code(201)
      .header('cache-control', 'private, no-store')
      .send(presentFile(context.renderUrl, file));
  });
}

/**
 * Stores the single file of a form. Stores nothing if it throws.
 *
 * @throws BAD_REQUEST unless there is exactly one file; errors of {@link storeUpload}
 */
async function readUpload(context: Context, request: FastifyRequest): Promise<StoredUpload> {
  let stored: StoredUpload | undefined;
  try {
    await readMultipart(request, {
      limitBytes: 0,
      fileLimitBytes: FILE_LIMIT_BYTES + 1,
      onFile: async ({ name, type, bytes }) => {
        if (stored) throw new FieldError('BAD_REQUEST', 'file', 'send one file only.');
        const readable = Readable.from(orBadForm(bytes), { objectMode: false });
        stored = await storeUpload(context, { name, claimedType: type, bytes: readable });
      },
    });
    if (!stored) throw new FieldError('BAD_REQUEST', 'file', 'is required.');
    return stored;
  } catch (error) {
    if (stored) await discardUpload(context, stored);
    throw error;
  }
}
