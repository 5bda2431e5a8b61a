import { Type } from 'typebox';
import { FieldError } from '../../base/errors.ts';
import { type DocumentKind, KINDS } from '../../base/schema/kind.ts';
import { MAX_EDITS } from '../../base/text/edits.ts';
import type { Call } from '../../core/context.ts';
import { DocumentIdCondition } from '../../core/document/document-schema.ts';
import { howMerged } from '../../core/document/merge-service.ts';
import { WarningsField, withWarnings } from '../../core/document/warning-schema.ts';
import { warningsAbout } from '../../core/document/warning-service.ts';
import { requireScope } from '../../core/identity/scope.ts';
import { requireEditOrComment } from '../../core/review/review-authorize.ts';
import { ThreadIds } from '../../core/review/thread-input-schema.ts';
import { MessageField, RevisionNumber } from '../../core/revision/revision-schema.ts';
import { parseIfMatch } from '../../surfaces/http/conditional.ts';
import { documentLocation } from '../../surfaces/rest/document-path.ts';
import { type Api, addOperation } from '../../surfaces/rest/operation.ts';
import { presentThread, ThreadSchema } from '../comments/thread-schema.ts';
import { proposeEdits } from '../proposals/proposal-service.ts';
import { EditSchema } from '../revisions/edit-schema.ts';
import { makeEdits, tryEdits, warningsOf } from '../revisions/edit-service.ts';
import { resolving } from '../suggestions/suggestion-service.ts';

const EditsBody = Type.Object(
  {
    edits: Type.Array(EditSchema, {
      minItems: 1,
      maxItems: MAX_EDITS,
      description: 'Applied in order, all or none.',
      examples: [[{ op: 'append', content: '\nOne more line.\n' }]],
    }),
    baseRevision: Type.Optional(
      RevisionNumber(
        'The revision that the edits are based on. Later changes by others are merged; 409 if ' +
          'both changed the same lines. Default: the current revision.',
      ),
    ),
    documentId: Type.Optional(DocumentIdCondition),
    message: Type.Optional(MessageField),
    resolves: Type.Optional(ThreadIds('Threads to resolve together with the edits.')),
    dryRun: Type.Optional(
      Type.Boolean({ default: false, description: 'Only return the diff, without saving.' }),
    ),
    propose: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Create a proposal instead of changing the text (201). Needs permission to comment ' +
          'and the scope `comments`. `message` becomes the first comment.',
      }),
    ),
  },
  { title: 'EditDocument', additionalProperties: false },
);

const EditedSchema = Type.Object(
  {
    revision: RevisionNumber('The current revision after the edits.'),
    merged: Type.Boolean({ description: 'Whether others’ changes were merged in.' }),
    diff: Type.String({
      description:
        'The changes to the current text, in unified format. Empty if nothing changed; then no ' +
        'revision is written.',
    }),
    added: Type.Integer({ description: 'Number of added lines.' }),
    removed: Type.Integer({ description: 'Number of removed lines.' }),
    warnings: WarningsField,
  },
  { title: 'EditedDocument' },
);

/** Adds `POST …/edits`, which changes passages and sections without sending the whole text. */
export function addEditOperations(api: Api): void {
  for (const kind of Object.values(KINDS)) addRouteOf(api, kind);
}

function addRouteOf(api: Api, kind: DocumentKind): void {
  addOperation(api, {
    method: 'POST',
    path: `/${kind.segment}/{owner}/{name}/edits`,
    id: `edit${kind.title}`,
    tag: kind.titlePlural,
    scope: 'documents:write',
    orScope: 'comments',
    summary: `Edit the text of a ${kind.kind}`,
    description:
      'Replaces or inserts passages, changes sections (briefs), or restores a revision. A ' +
      'passage must occur exactly once; otherwise the 422 lists the closest passages. A section ' +
      'keeps its heading, unless its new content begins with another one of its level. With ' +
      '`propose`, the edits become a proposal.',
    body: EditsBody,
    bodyLimit: kind.bodyLimitBytes,
    answers: { 200: EditedSchema, 201: ThreadSchema },
    sends: { 200: ['X-Revision', 'X-Merged', 'ETag'], 201: ['Location'] },
    errors: [409, 412, 422],
    rule: {
      needs: 'write; with `propose`, to comment',
      refusals: [403, 404, 451],
      check: ({ sql, actor }: Call, params) =>
        requireEditOrComment(sql.read, actor, { kind: kind.kind, ...params }),
    },
    handler: async ({ call, params, body, ifMatch }) => {
      const ref = { kind: kind.kind, ...params };
      const { dryRun, resolves, propose, ...rest } = body;
      if (propose) {
        requireScope(call.actor, 'comments');
        if (dryRun) refuseWithPropose('dryRun');
        if (resolves) refuseWithPropose('resolves');
        const { thread } = await proposeEdits(call, ref, rest, parseIfMatch(ifMatch));
        const location = `${documentLocation(kind.segment, params)}/threads/${thread.id}`;
        return { status: 201, data: presentThread(thread), location };
      }
      requireScope(call.actor, 'documents:write');
      const alongside = resolving(call, resolves);
      const edits = { ...rest, alongside };
      const run = dryRun ? tryEdits : makeEdits;
      const after = await run(call, ref, edits, parseIfMatch(ifMatch));
      const { unified, added, removed } = after.diff;
      const { version } = after.document;
      const data = { revision: version, merged: after.merged, diff: unified, added, removed };
      const before = body.baseRevision ?? (dryRun ? version : version - 1);
      const ofEdits = warningsOf(after.notes, before);
      const said = withWarnings(data, [...ofEdits, ...(await warningsAbout(call, after))]);
      const merged = howMerged(after);
      return { status: 200, data: said, etag: after.etag, revision: version, merged };
    },
  });
}

/** @throws BAD_REQUEST */
function refuseWithPropose(field: string): never {
  throw new FieldError('BAD_REQUEST', field, 'can’t be used with propose.');
}
