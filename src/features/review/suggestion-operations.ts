import { Type } from 'typebox';
import type { DocumentKind } from '../../base/schema/kind.ts';
import { presentDocument } from '../../core/document/document-schema.ts';
import { withWarnings, writtenSchema } from '../../core/document/warning-schema.ts';
import { warningsAbout } from '../../core/document/warning-service.ts';
import { ShownFields, ThreadIds } from '../../core/review/thread-input-schema.ts';
import { MessageField } from '../../core/revision/revision-schema.ts';
import { refsOf } from '../../surfaces/rest/document-path.ts';
import { type Api, addOperation, NO_CONTENT } from '../../surfaces/rest/operation.ts';
import { reviewRules } from '../../surfaces/rest/rules.ts';
import { READ_COMMENTS, WRITE_COMMENTS } from './comment-operation.ts';
import { diffProposal, readProposal } from './proposal-reading-service.ts';
import { acceptSuggestions, rejectSuggestions } from './suggestion-service.ts';
import { ProposalSchema } from './thread-schema.ts';

export function addProposal(api: Api, { kind, segment, title }: DocumentKind): void {
  const refOf = refsOf(kind);
  addOperation(api, {
    ...READ_COMMENTS,
    method: 'GET',
    path: `/${segment}/{owner}/{name}/threads/{thread}/proposal`,
    id: `get${title}Proposal`,
    summary: `Get a proposal for a ${kind}`,
    description:
      'As a diff against the revision that it is based on, and against the current text.',
    answers: { 200: ProposalSchema },
    errors: [422],
    rule: reviewRules(kind)('see'),
    handler: async ({ context, actor, params }) => {
      const proposal = await readProposal(context, actor, refOf(params), params.thread);
      return { status: 200, data: await diffProposal(context, actor, proposal) };
    },
  });
}

export function addSuggestions(api: Api, documentKind: DocumentKind): void {
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
    handler: async ({ context, actor, params, body: { threads, ...options } }) => {
      const seen = await acceptSuggestions(context, actor, refOf(params), threads, options);
      const warnings = await warningsAbout(context, actor, seen);
      const data = withWarnings(presentDocument(context, 'full', seen), warnings);
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
    handler: async ({ context, actor, params, body: { threads, ...shown } }) => {
      await rejectSuggestions(context, actor, refOf(params), threads, shown);
      return NO_CONTENT;
    },
  });
}
