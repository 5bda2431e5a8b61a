import type { FastifyReply } from 'fastify';
import { countAttempt } from '../../account/attempts.ts';
import {
  beginEditing,
  type Editor,
  endEditing,
  getOtherEditors,
} from '../../document/editing/editing-service.ts';
import { seeOther } from '../account-parts.ts';
import { readForm, requireChoice } from '../form.ts';
import { type EditingPlace, renderEditors } from '../pages/app/editing-now.tsx';
import { pathOfRef } from './addresses.ts';
import { type AppParts, type AppRequest, wantsJson } from './app-parts.ts';
import { addDocumentRoutes } from './document-routes.ts';
import { requireSameWriter } from './edit-faults.ts';

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
