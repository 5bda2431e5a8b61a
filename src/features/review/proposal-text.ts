import type { Context } from '../../core/context.ts';
import { loadBody } from '../../core/revision/revision-text.ts';
import { decodeText } from '../../core/revision/text-codec.ts';
import { findProposalText } from './proposal-store.ts';

/** Returns a proposed text; `undefined` if it is gone. */
export async function loadProposedText(
  context: Context,
  threadId: string,
): Promise<string | undefined> {
  const row = await findProposalText(context.sql.read, threadId);
  const bytes = row && (await loadBody(context, row));
  return bytes && (await decodeText(bytes, row.sizeBytes)).toString();
}
