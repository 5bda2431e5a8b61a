import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { allowStylesWith } from '../headers.ts';
import { editPage } from '../pages/app/edit-page.tsx';
import type { EditPage } from '../pages/app/edit-state.ts';
import type { AppParts, AppRequest } from './app-parts.ts';

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
    editPage({ ...page, accountId: asked.actor.id, nonce, previewUrl }),
    status,
  );
}
