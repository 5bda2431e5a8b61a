import type { Call } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { getDocument } from '../../core/document/document-service.ts';
import { listLibrary } from '../library/library-service.ts';
import { displayNamesOf } from '../profiles/own-profile-service.ts';

/** A brief with this label is offered as a template. */
const TEMPLATE_LABEL = 'template';

const BLANK = /\{\{ ?(date|author) ?\}\}/g;

/** Fills in `{{date}}` and `{{author}}`, and leaves all other text unchanged. */
function fillTemplate(text: string, filled: { date: string; author: string }): string {
  return text.replace(BLANK, (_blank, name: 'date' | 'author') => filled[name]);
}

export interface Template {
  ownerNamespace: string;
  name: string;
  title: string | null;
}

/** The most templates to offer. */
const MOST = 50;

/**
 * Lists these owners' templates that the actor can read: in the order of the owners, then by title.
 */
export async function listTemplates(call: Call, owners: readonly string[]): Promise<Template[]> {
  const list = { place: 'recent', kind: 'brief', label: TEMPLATE_LABEL, sort: 'title' } as const;
  const { items } = await listLibrary(call, { ...list, size: MOST });
  return owners.flatMap((owner) => items.filter((item) => item.ownerNamespace === owner));
}

/**
 * Returns a template's text with today's date (UTC) and the actor's name.
 *
 * @throws NOT_FOUND if the actor can't read it
 */
export async function readTemplate(call: Call, ref: DocumentRef): Promise<string> {
  const { text } = await getDocument(call, ref);
  const names = await displayNamesOf(call, [call.actor.username]);
  return fillTemplate(text, {
    date: call.now().slice(0, 'YYYY-MM-DD'.length),
    author: names.get(call.actor.username) ?? call.actor.username,
  });
}
