import type { Tool } from '../tool.ts';
import { whoami } from './account.ts';
import { comment } from './comment.ts';
import { editDocument } from './edit-document.ts';
import { files } from './files.ts';
import { answerInvitation } from './invitations.ts';
import { manageDocument } from './manage-document.ts';
import { setMember } from './members.ts';
import { getOrganization, setOrganization } from './organizations.ts';
import { publishDocument } from './publish-document.ts';
import { readDocument } from './read-document.ts';
import { searchDocuments } from './search-documents.ts';
import { listAccess, shareDocument } from './sharing.ts';
import { waitForFeedback } from './wait-for-feedback.ts';

/** What reading, writing and review need, in the order in which hosts list them. */
export const DOCUMENT_TOOLS: readonly Tool[] = [
  searchDocuments,
  readDocument,
  publishDocument,
  editDocument,
  comment,
  waitForFeedback,
];

/** Every tool, in the order in which hosts list them. */
export const TOOLS: readonly Tool[] = [
  whoami,
  ...DOCUMENT_TOOLS,
  manageDocument,
  listAccess,
  shareDocument,
  answerInvitation,
  getOrganization,
  setOrganization,
  setMember,
  files,
];

const BY_NAME = new Map(TOOLS.map((tool) => [tool.name, tool]));

export function findTool(name: string): Tool | undefined {
  return BY_NAME.get(name);
}
