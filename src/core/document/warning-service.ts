import { shorten } from '../../base/text/shorten.ts';
import type { Warning } from '../../base/warnings/warnings.ts';
import type { Call } from '../context.ts';
import type { Suggestions } from '../review/unmerged-service.ts';
import { loadContent } from './content.ts';
import type { WholeDocument } from './document-service.ts';
import type { StoredDocument } from './document-store.ts';
import { findPageFiles } from './page-files.ts';

export type { Warning };

/**
 * Returns what the writer of a document should know about its text: addresses that it can't load,
 * a text that was surely meant otherwise, if anyone can read it, secrets, and what was suggested
 * instead of written. Call it after the write. Never rejects.
 */
export async function warningsAbout(
  call: Call,
  {
    document,
    text,
    suggestions,
  }: Pick<WholeDocument, 'document' | 'text'> & { suggestions?: Suggestions | undefined },
): Promise<Warning[]> {
  const { kind, visibility } = document;
  const { markdown, pageSources } = call;
  const isPublic = visibility === 'public';
  const pictures =
    kind === 'page'
      ? await findPageFiles(call, call.actor.id, text).catch(() => undefined)
      : undefined;
  const written = { kind, isPublic, pageSources, ...(pictures && { pictures }) };
  const about = await markdown.warningsAbout(call.actor.id, text, written);
  return suggestions ? [suggestions.warning, ...about] : about;
}

/** Returns the same about a document that has just become public. Never rejects. */
export async function warningsAboutOpened(
  call: Call,
  document: StoredDocument,
): Promise<Warning[]> {
  if (document.visibility !== 'public') return [];
  const text = await loadContent(call, document).catch(() => undefined);
  return text === undefined ? [] : warningsAbout(call, { document, text });
}

/** Writes warnings as sentences for their writer, after a sentence: each begins with a space. */
export function warningsInWords(warnings: readonly Warning[]): string {
  return warnings
    .map(({ message, addresses }) => ` ${message}${addresses ? ` ${listOf(addresses)}` : ''}`)
    .join('');
}

/** What a message in a cookie has room for. */
const MAX_NAMED = 5;
const MAX_ADDRESS = 80;

function listOf(addresses: readonly string[]): string {
  const named = addresses.slice(0, MAX_NAMED).map((address) => shorten(address, MAX_ADDRESS));
  const more = addresses.length > MAX_NAMED ? ', and others' : '';
  return `It asks for: ${named.join(', ')}${more}.`;
}
