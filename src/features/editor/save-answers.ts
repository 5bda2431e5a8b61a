import type { FastifyReply } from 'fastify';
import type { Call } from '../../core/context.ts';
import { requireAction } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { getDocument, type WholeDocument } from '../../core/document/document-service.ts';
import type { NameTaken } from '../../core/document/name-taken.ts';
import { shownTitle } from '../../core/document/shown-title.ts';
import { warningsAbout, warningsInWords } from '../../core/document/warning-service.ts';
import { documentPath } from '../../surfaces/web/addresses.ts';
import {
  type AppParts,
  type AppRequest,
  sendRefusal,
  wantsJson,
} from '../../surfaces/web/app-parts.ts';
import { consequenceOf } from '../../surfaces/web/pages/access-labels.ts';
import { visibilityWords } from '../../surfaces/web/pages/parts.tsx';
import { usernamesOf } from '../profiles/username-service.ts';
import { type HiddenThreadsNote, ownerInWords } from '../sharing/share-view.ts';

/**
 * Answers a save: scripts get the document's new state, other browsers a redirect to it.
 *
 * @param say.created the message if the document is new
 * @param say.hidden what {@link hiddenThreadsNote} says if the document became public
 */
export async function sendSaved(
  parts: AppParts,
  asked: AppRequest,
  seen: WholeDocument,
  { created, hidden }: { created?: string; hidden?: HiddenThreadsNote | undefined },
): Promise<FastifyReply> {
  const { document } = seen;
  const read = documentPath('read', document);
  const { sentence = '', next } = hidden ?? {};
  const warning = warningsInWords(await warningsAbout(asked.call, seen)).trim();
  if (!wantsJson(asked.request)) {
    const message = `${created ?? 'Saved.'}${sentence} ${warning}`.trimEnd();
    return parts.goOn(asked, read, { message, ...(next && { next }) });
  }
  return asked.reply.header('cache-control', 'private, no-store').send({
    ...stateOf(seen),
    ...(created !== undefined && { message: created }),
    ...(warning !== '' && { warning }),
    ...(next && { hidden: { text: sentence.trim(), path: documentPath('share', document) } }),
  });
}

/** Says where a new document is, and who can read it. */
export async function savedMessage(call: Call, { document }: WholeDocument): Promise<string> {
  const { ownerNamespace, name, visibility } = document;
  const owner = await ownerInWords(call, document);
  const { label } = visibilityWords(visibility);
  const who = consequenceOf(visibility, owner, 'people you invite');
  return `Saved as ${ownerNamespace}/${name}. ${label}: ${who.charAt(0).toLowerCase()}${who.slice(1)}`;
}

/** Tells the editor's script which name is free in place of a taken one. */
export function sendNameTaken({ reply }: AppRequest, error: NameTaken): FastifyReply {
  return sendRefusal(reply, error, { freeName: error.freeName });
}

/** Returns the fields of a document that the editor's script sends back or links to. */
function stateOf({ document, etag }: WholeDocument) {
  const { id, name, visibility, ownerNamespace } = document;
  return {
    id,
    name,
    title: shownTitle(document),
    visibility,
    etag,
    owner: ownerNamespace,
    path: documentPath('edit', document),
    readPath: documentPath('read', document),
  };
}

/** @throws DocumentMoved, NOT_FOUND; FORBIDDEN if the actor can't edit the document */
export async function readEditable(call: Call, ref: DocumentRef): Promise<WholeDocument> {
  const seen = await getDocument(call, ref);
  requireAction(seen, ref, 'editContent');
  return seen;
}

/** Returns “You” or the name of the last writer, or `undefined` if the account was deleted. */
export async function writerOf(
  call: Call,
  { document }: WholeDocument,
): Promise<string | undefined> {
  if (document.updatedBy === call.actor.id) return 'You';
  return (await usernamesOf(call, [document.updatedBy])).get(document.updatedBy);
}
