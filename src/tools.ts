import type { Scope } from './core/identity/scope.ts';
import { whoami } from './features/accounts/account-tool.ts';
import { comment } from './features/discussion/comment-tool.ts';
import { editDocument } from './features/documents/edit-tool.ts';
import { manageDocument } from './features/documents/manage-tool.ts';
import { complete } from './features/documents/mcp-completion.ts';
import {
  listResources,
  RESOURCE_TEMPLATES,
  readResource,
} from './features/documents/mcp-resources.ts';
import { publishDocument } from './features/documents/publish-tool.ts';
import { readDocument } from './features/documents/read-tool.ts';
import { inbox, readOnlyInbox } from './features/feed/inbox-tool.ts';
import { subscribe, subscribedUris } from './features/feed/subscription.ts';
import { waitForFeedback } from './features/feed/wait-tool.ts';
import { answerInvitation } from './features/invitations/invitation-tool.ts';
import { setMember } from './features/organizations/member-tool.ts';
import { getOrganization, setOrganization } from './features/organizations/organization-tool.ts';
import { searchDocuments } from './features/search/search-tool.ts';
import { listAccess, shareDocument } from './features/sharing/sharing-tool.ts';
import { files } from './features/uploads/file-tool.ts';
import type { McpFeatures } from './surfaces/mcp/features.ts';
import type { Tool } from './surfaces/mcp/tool.ts';
import { askedToolset, scopesOfTools, type ToolNames, toolsetOf } from './surfaces/mcp/toolset.ts';

/** The tools for reading, writing and review, in the order that hosts list. */
export const DOCUMENT_TOOLS: readonly Tool[] = [
  searchDocuments,
  readDocument,
  publishDocument,
  editDocument,
  comment,
  inbox,
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

export const ALL_TOOLS = toolsetOf(TOOLS);

/** The names of several tools in `?tools=`. */
export const TOOL_SETS = {
  all: TOOLS,
  documents: DOCUMENT_TOOLS,
  read: TOOLS.filter(({ annotations }) => annotations.readOnlyHint).map((tool) =>
    tool === inbox ? readOnlyInbox : tool,
  ),
} as const satisfies ToolNames;

/** What the features give to the MCP surface. */
export const MCP_FEATURES: McpFeatures = {
  tools: { all: ALL_TOOLS, sets: TOOL_SETS },
  resources: { list: listResources, read: readResource, templates: RESOURCE_TEMPLATES },
  complete,
  subscriptions: { uris: subscribedUris, open: subscribe },
};

/**
 * Returns the scopes of the tools that an address's `?tools=` chooses.
 *
 * @throws BAD_REQUEST for an unknown name
 */
export function scopesOfAddress(given: string | string[] | undefined): Scope[] {
  return scopesOfTools(askedToolset(MCP_FEATURES.tools, given));
}
