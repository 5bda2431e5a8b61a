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

/** The tools for reading, writing and review, in the order that hosts list. */
export const DOCUMENT_TOOLS: readonly Tool[] = [
  searchDocuments,
  readDocument,
  publishDocument,
  editDocument,
  comment,
  waitForFeedback,
];

/** All tools, in the order that hosts list. */
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
