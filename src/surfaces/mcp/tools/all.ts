import { whoami } from '../../../features/accounts/account-tool.ts';
import { editDocument } from '../../../features/documents/edit-tool.ts';
import { manageDocument } from '../../../features/documents/manage-tool.ts';
import { publishDocument } from '../../../features/documents/publish-tool.ts';
import { readDocument } from '../../../features/documents/read-tool.ts';
import { waitForFeedback } from '../../../features/feed/wait-tool.ts';
import { answerInvitation } from '../../../features/invited/invitation-tool.ts';
import { setMember } from '../../../features/organizations/member-tool.ts';
import {
  getOrganization,
  setOrganization,
} from '../../../features/organizations/organization-tool.ts';
import { comment } from '../../../features/review/comment-tool.ts';
import { searchDocuments } from '../../../features/search/search-tool.ts';
import { listAccess, shareDocument } from '../../../features/sharing/sharing-tool.ts';
import { files } from '../../../features/uploads/file-tool.ts';
import type { Tool } from '../tool.ts';

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
