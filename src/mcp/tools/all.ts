import type { Tool } from '../tool.ts';
import { getUser, whoami } from './account.ts';
import { getPageLink, removeDocument, updateDocumentSettings } from './change-document.ts';
import { comment } from './comment.ts';
import { editDocument } from './edit-document.ts';
import { deleteFile, listFiles, uploadFile } from './files.ts';
import { answerInvitation, listInvitations } from './invitations.ts';
import { listDocuments } from './list-documents.ts';
import { listThreads } from './list-threads.ts';
import { listInvitationsOfOrganization, listMembers, removeMember, setMember } from './members.ts';
import {
  createOrganization,
  deleteOrganization,
  getOrganization,
  joinOrganization,
  leaveOrganization,
  listOrganizations,
  updateOrganization,
} from './organizations.ts';
import { publishDocument } from './publish-document.ts';
import { readDocument } from './read-document.ts';
import { reviewDocument } from './review-document.ts';
import { searchDocuments } from './search-documents.ts';
import {
  listAccess,
  listInvitationsOfDocument,
  shareDocument,
  unshareDocument,
} from './sharing.ts';
import { trash } from './trash.ts';
import { waitForFeedback } from './wait-for-feedback.ts';

/** Every tool, in the order in which hosts list them. */
export const TOOLS: readonly Tool[] = [
  whoami,
  getUser,
  searchDocuments,
  listDocuments,
  readDocument,
  publishDocument,
  editDocument,
  updateDocumentSettings,
  listThreads,
  comment,
  reviewDocument,
  waitForFeedback,
  removeDocument,
  trash,
  getPageLink,
  listAccess,
  listInvitationsOfDocument,
  shareDocument,
  unshareDocument,
  listInvitations,
  answerInvitation,
  listOrganizations,
  getOrganization,
  createOrganization,
  updateOrganization,
  deleteOrganization,
  joinOrganization,
  leaveOrganization,
  listMembers,
  listInvitationsOfOrganization,
  setMember,
  removeMember,
  listFiles,
  uploadFile,
  deleteFile,
];

const BY_NAME = new Map(TOOLS.map((tool) => [tool.name, tool]));

export function findTool(name: string): Tool | undefined {
  return BY_NAME.get(name);
}
