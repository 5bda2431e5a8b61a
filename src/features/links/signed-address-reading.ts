import type { Call } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import type { ReadingOutcome } from '../../surfaces/mcp/tool.ts';
import { createSignedAddress } from '../pages/page-service.ts';

/** Returns a temporary address at which anyone can see a page. @throws NOT_FOUND */
export async function readLink(call: Call, { owner, name }: DocumentRef): Promise<ReadingOutcome> {
  const { url, expiresAt } = await createSignedAddress(call, { kind: 'page', owner, name });
  return {
    summary: `The address works until ${expiresAt}, or until access or the page changes.`,
    data: { url, expiresAt },
    quotations: [],
  };
}
