import { lengthOf, MAX_TEXT_LENGTH, type Written } from '../../base/search/search-text.ts';
import type { Context } from '../../core/context.ts';
import type { OwnedName } from '../../core/document/document-alias-store.ts';
import { linkedName } from '../../core/document/linked-names.ts';
import { listOwnerIds } from '../../core/document/reference-store.ts';
import type { IndexableRow } from './search-store.ts';

/** The most documents that one links to, as far as they show it. */
const MAX_TARGETS = 1_000;

/**
 * Reads which documents a document links to; none if reading costs too much. Texts that can't link
 * to any aren't parsed.
 *
 * @throws RATE_LIMITED, BackEndUnavailable
 */
export async function readTargets(
  context: Context,
  { kind, ownerId, ownerNamespace }: IndexableRow,
  written: Written,
): Promise<OwnedName[]> {
  if (lengthOf(written) > 4 * MAX_TEXT_LENGTH) return [];
  const text = 'markdown' in written ? written.markdown : written.html;
  const { webUrl } = context;
  const mayLink = kind === 'brief' ? /\[\[|\.md|\.html?|\]\(\/|:\s*\// : undefined;
  if (!mayLink?.test(text) && !text.includes(`${webUrl}/`)) return [];
  // Not the owner's key: people must not wait for the index.
  const references = await context.markdown.references('index', text, kind, [webUrl]);
  const refs = (references ?? []).flatMap((reference) => {
    const ref = linkedName(context, kind, ownerNamespace, reference);
    return ref ?? [];
  });
  const others = new Set(
    refs.map(({ owner }) => owner).filter((owner) => owner !== ownerNamespace),
  );
  const ids = await listOwnerIds(context.sql.read, [...others].slice(0, MAX_TARGETS));
  ids.set(ownerNamespace, ownerId);
  const targets = new Map<string, OwnedName>();
  for (const { kind: to, owner, name } of refs) {
    const id = ids.get(owner);
    if (id !== undefined) targets.set(`${id} ${to} ${name}`, { ownerId: id, kind: to, name });
    if (targets.size === MAX_TARGETS) break;
  }
  return [...targets.values()];
}
