import { Type } from 'typebox';
import { ServiceError } from '../../base/errors.ts';
import { type DocumentKind, KINDS } from '../../base/schema/kind.ts';
import type { Context } from '../../core/context.ts';
import { presentDocument } from '../../core/document/document-schema.ts';
import type { WholeDocument } from '../../core/document/document-service.ts';
import { withWarnings, writtenSchema } from '../../core/document/warning-schema.ts';
import { warningsAbout } from '../../core/document/warning-service.ts';
import { ShownFields } from '../../core/review/thread-input-schema.ts';
import {
  MessageField,
  presentRevision,
  RevisionDiff,
  RevisionNumber,
  RevisionSchema,
  revisionWithText,
} from '../../core/revision/revision-schema.ts';
import { refsOf } from '../../surfaces/rest/document-path.ts';
import { change, get, list, remove } from '../../surfaces/rest/endpoints.ts';
import { type Api, addOperation } from '../../surfaces/rest/operation.ts';
import { documentRules } from '../../surfaces/rest/rules.ts';
import { diffRevisions } from './diff-service.ts';
import {
  eraseRevision,
  getRevision,
  listRevisions,
  pinRevision,
  restoreRevision,
} from './revision-service.ts';

/** Adds the routes of revisions, for all kinds: list, read, compare, restore, pin, erase. */
export function addRevisionOperations(api: Api): void {
  for (const kind of Object.values(KINDS)) addRoutesOf(api, kind);
}

function addRoutesOf(api: Api, kind: DocumentKind): void {
  const { title, segment, contentField } = kind;
  const refOf = refsOf(kind.kind);
  const can = documentRules(kind.kind);
  const all = `/${segment}/{owner}/{name}/revisions` as const;
  const one = `${all}/{number}` as const;
  const reading = { tag: kind.titlePlural, scope: 'documents:read' } as const;
  const writing = { tag: kind.titlePlural, scope: 'documents:write' } as const;
  const answer = (context: Context, seen: WholeDocument) => ({
    status: 200,
    data: presentDocument(context, 'full', seen),
    etag: seen.etag,
    revision: seen.document.version,
  });

  list(api, {
    ...reading,
    path: all,
    id: `list${title}Revisions`,
    summary: `List the revisions of a ${kind.kind}`,
    description: 'All writes, newest first: author, client and changes.',
    items: RevisionSchema,
    rule: can('read'),
    find: ({ call, params, page }) => listRevisions(call, refOf(params), page),
    present: (item, { call }) => presentRevision(item, call.actor),
  });

  get(api, {
    ...reading,
    path: one,
    id: `get${title}Revision`,
    summary: `Get a revision of a ${kind.kind}`,
    description:
      'With its text. The owner, members who can read and collaborators can read every revision, ' +
      'anyone else the current one and those that are pinned.',
    answer: revisionWithText(kind),
    rule: can('read'),
    handler: async ({ call, params }) => {
      const [ref, number] = [refOf(params), readNumber(params.number)];
      const found = await getRevision(call, ref, number);
      const data = presentRevision(found.revision, call.actor);
      return { ...data, [contentField]: found.text ?? null };
    },
  });

  get(api, {
    ...reading,
    path: `${one}/diff`,
    id: `diff${title}Revision`,
    summary: `Compare two revisions of a ${kind.kind}`,
    description: 'The differing lines, in unified format. You must be able to read both revisions.',
    query: Type.Object({
      from: Type.Optional(
        RevisionNumber('The revision to compare with. Default: the previous one.'),
      ),
    }),
    answer: RevisionDiff,
    errors: [422],
    rule: can('read'),
    handler: async ({ call, params, query }) => {
      const [ref, number] = [refOf(params), readNumber(params.number)];
      const from = query.from ?? Math.max(1, number - 1);
      return diffRevisions(call, ref, { from, to: number });
    },
  });

  addOperation(api, {
    ...writing,
    method: 'POST',
    path: `${one}/restore`,
    id: `restore${title}Revision`,
    summary: `Restore a revision of a ${kind.kind}`,
    description: 'Writes its text again, as a new revision. The name and visibility don’t change.',
    body: Type.Object(
      { message: Type.Optional(MessageField), revision: ShownFields.revision },
      { additionalProperties: false },
    ),
    bodyLimit: kind.bodyLimitBytes,
    conditional: true,
    answers: { 200: writtenSchema(kind, 'full') },
    sends: { 200: ['X-Revision'] },
    errors: [409, 422],
    rule: can('editContent'),
    handler: async ({ call, params, body }) => {
      const [ref, number] = [refOf(params), readNumber(params.number)];
      const { message, revision: shown } = body;
      const note = { message, shown };
      const restored = await restoreRevision(call, ref, number, note);
      const { data, ...rest } = answer(call, restored);
      const warnings = await warningsAbout(call, restored);
      return { ...rest, data: withWarnings(data, warnings) };
    },
  });

  change(api, {
    ...writing,
    path: one,
    id: `update${title}Revision`,
    summary: `Pin a revision of a ${kind.kind}`,
    description:
      'A pinned revision is never deleted to save space, and everyone who can read the document ' +
      'can read it at its own address, `…@{number}`.',
    body: Type.Object(
      { pinned: Type.Boolean({ description: 'Whether it is pinned.' }) },
      { additionalProperties: false },
    ),
    bodyLimit: kind.bodyLimitBytes,
    answer: RevisionSchema,
    errors: [422],
    rule: can('pin'),
    handler: async ({ call, params, body }) => {
      const [ref, number] = [refOf(params), readNumber(params.number)];
      const revision = await pinRevision(call, ref, number, body.pinned);
      return presentRevision(revision, call.actor);
    },
  });

  remove(api, {
    ...writing,
    path: one,
    id: `erase${title}Revision`,
    summary: `Erase the text of a revision of a ${kind.kind}`,
    description:
      'Erases the text permanently; author and date stay. Also erases it from other revisions ' +
      'with the same text, and unpins them. Suggestions and proposals that repeat its words (those ' +
      'with at least four characters or a digit that aren’t in the current text) lose their texts, ' +
      'and open ones are rejected. Comments, reviews and messages stay. The current text can’t be ' +
      'erased.',
    errors: [422],
    rule: can('eraseRevision'),
    handler: async ({ call, params }) => {
      const [ref, number] = [refOf(params), readNumber(params.number)];
      await eraseRevision(call, ref, number);
    },
  });
}

/** @throws NOT_FOUND if the text can't be a revision's number */
function readNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new ServiceError('NOT_FOUND', `There is no revision “${text.slice(0, 20)}”.`);
}
