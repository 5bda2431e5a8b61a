import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import { allowStylesWith } from '../../surfaces/web/security-headers.ts';
import { editPage } from './edit-page.tsx';
import type { EditPage } from './edit-state.ts';

/** Sends the editor. A nonce in the content security policy allows the styles of its library. */
export function sendEditor(
  parts: AppParts,
  asked: AppRequest,
  status: number | undefined,
  page: Omit<EditPage, 'accountId' | 'nonce' | 'previewUrl'>,
): Promise<FastifyReply> {
  const nonce = randomBytes(16).toString('base64url');
  allowStylesWith(asked.reply, nonce);
  const previewUrl = `${parts.context.renderUrl}/preview`;
  return parts.show(
    asked,
    editPage({ ...page, accountId: asked.call.actor.id, nonce, previewUrl }),
    status,
  );
}
