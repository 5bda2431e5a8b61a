import { Type } from 'typebox';
import { type DocumentKind, KINDS } from '../../base/schema/kind.ts';
import { presentDocument } from '../../core/document/document-schema.ts';
import { withWarnings, writtenSchema } from '../../core/document/warning-schema.ts';
import { warningsAbout } from '../../core/document/warning-service.ts';
import { ShownFields, ThreadIds } from '../../core/review/thread-input-schema.ts';
import { MessageField } from '../../core/revision/revision-schema.ts';
import { refsOf } from '../../surfaces/rest/document-path.ts';
import { get } from '../../surfaces/rest/endpoints.ts';
import { type Api, addOperation, NO_CONTENT } from '../../surfaces/rest/operation.ts';
import { reviewRules } from '../../surfaces/rest/rules.ts';
import { ProposalSchema } from '../comments/thread-schema.ts';
import { diffProposal, readProposal } from '../proposals/proposal-reading-service.ts';
import { READ_COMMENTS, WRITE_COMMENTS } from '../reviews/comment-operation.ts';
import { acceptSuggestions, rejectSuggestions } from './suggestion-service.ts';

/** Adds the routes of suggestions and proposals. */
export function addSuggestionOperations(api: Api): void {
  for (const kind of Object.values(KINDS)) {
    addProposal(api, kind);
    addSuggestions(api, kind);
  }
}

function addProposal(api: Api, { kind, segment, title }: DocumentKind): void {
  const refOf = refsOf(kind);
  get(api, {
    ...READ_COMMENTS,
    path: `/${segment}/{owner}/{name}/threads/{thread}/proposal`,
    id: `get${title}Proposal`,
    summary: `Get a proposal for a ${kind}`,
    description:
      'As a diff against the revision that it is based on, and against the current text.',
    answer: ProposalSchema,
    errors: [422],
    rule: reviewRules(kind)('see'),
    handler: async ({ call, params }) => {
      const proposal = await readProposal(call, refOf(params), params.thread);
      return diffProposal(call, proposal);
    },
  });
}

function addSuggestions(api: Api, documentKind: DocumentKind): void {
  const { kind, segment, title, bodyLimitBytes: bodyLimit } = documentKind;
  const refOf = refsOf(kind);
  const canReview = reviewRules(kind);
  const path = `/${segment}/{owner}/{name}/suggestions` as const;

  addOperation(api, {
    method: 'POST',
    path: `${path}/accept`,
    id: `accept${title}Suggestions`,
    tag: 'Comments',
    scope: 'documents:write',
    summary: `Accept suggestions for a ${kind}`,
    description:
      'All together, as one revision. Proposals are merged with later changes. If a passage or ' +
      'a line has changed, or something else than `revision` and `expected` is current, nothing ' +
      'is accepted (409).',
    body: Type.Object(
      {
        threads: ThreadIds('The suggestions.'),
        message: Type.Optional(MessageField),
        ...ShownFields,
      },
      { title: 'AcceptSuggestions', additionalProperties: false },
    ),
    bodyLimit,
    conditional: true,
    answers: { 200: writtenSchema(documentKind, 'full') },
    sends: { 200: ['X-Revision'] },
    errors: [409, 422],
    rule: canReview('accept'),
    handler: async ({ call, params, body: { threads, ...options } }) => {
      const seen = await acceptSuggestions(call, refOf(params), threads, options);
      const warnings = await warningsAbout(call, seen);
      const data = withWarnings(presentDocument(call, 'full', seen), warnings);
      return { status: 200, data, etag: seen.etag, revision: seen.document.version };
    },
  });

  addOperation(api, {
    ...WRITE_COMMENTS,
    method: 'POST',
    path: `${path}/reject`,
    id: `reject${title}Suggestions`,
    summary: `Reject suggestions for a ${kind}`,
    description: 'All or none.',
    body: Type.Object(
      { threads: ThreadIds('The suggestions.'), ...ShownFields },
      { title: 'RejectSuggestions', additionalProperties: false },
    ),
    bodyLimit,
    answers: { 204: null },
    errors: [409, 422],
    rule: canReview('see', 'their author, or write'),
    handler: async ({ call, params, body: { threads, ...shown } }) => {
      await rejectSuggestions(call, refOf(params), threads, shown);
      return NO_CONTENT;
    },
  });
}
