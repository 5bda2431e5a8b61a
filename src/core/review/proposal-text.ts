import type { Context } from '../context.ts';
import { loadBody } from '../revision/revision-text.ts';
import { decodeText } from '../revision/text-codec.ts';
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
