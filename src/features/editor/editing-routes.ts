import type { FastifyReply } from 'fastify';
import { countAttempt } from '../../core/identity/attempts.ts';
import { seeOther } from '../../surfaces/web/account-parts.ts';
import { pathOfRef } from '../../surfaces/web/addresses.ts';
import { type AppParts, type AppRequest, wantsJson } from '../../surfaces/web/app-parts.ts';
import { addDocumentRoutes } from '../../surfaces/web/document-routes.ts';
import { readForm, requireChoice, requireSameWriter } from '../../surfaces/web/form.ts';
import { type EditingPlace, renderEditors } from '../presence/editing-now.tsx';
import {
  beginEditing,
  type Editor,
  endEditing,
  getOtherEditors,
} from '../presence/editing-service.ts';

const ACTS = ['begin', 'end'] as const;

/**
 * Adds `/editing/…`, where scripts ask who else is editing a document, and report when their user
 * starts and stops.
 */
export function addEditingRoutes(parts: AppParts): void {
  const { context, limiter } = parts;
  addDocumentRoutes(parts, 'editing', {
    async get(asked, ref) {
      if (!wantsJson(asked.request)) return seeOther(asked.reply, pathOfRef('read', ref));
      await countAttempt(limiter, [['webLookup', asked.actor.id]]);
      return send(asked, await getOtherEditors(context, asked.actor, ref), 'reading');
    },
    async post(asked, ref) {
      await countAttempt(limiter, [['webLookup', asked.actor.id]]);
      const { act, account } = readForm(asked.request.body, ['act', 'account']);
      requireSameWriter(asked.actor, { account });
      if (requireChoice(ACTS, act, 'act') === 'begin') {
        return send(asked, await beginEditing(context, asked.visit, ref), 'editor');
      }
      await endEditing(context, asked.visit, ref);
      return asked.reply.code(204).send();
    },
  });
}

function send(
  { reply }: AppRequest,
  editors: readonly Editor[],
  place: EditingPlace,
): FastifyReply {
  return reply
    .header('cache-control', 'private, no-store')
    .send({ html: renderEditors(editors, place) });
}
