import { Type } from 'typebox';
import type { Call, Context } from '../../core/context.ts';
import type { Seen } from '../../core/document/authorize.ts';
import { changeDocument } from '../../core/document/document-change-service.ts';
import { deleteDocument } from '../../core/document/document-service.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { warningsAboutOpened } from '../../core/document/warning-service.ts';
import { resolveOwner } from '../../core/owner/document-owner-service.ts';
import { RevisionNumber } from '../../core/revision/revision-schema.ts';
import { parseIfMatchArgument } from '../../surfaces/http/conditional.ts';
import { invalidArgument } from '../../surfaces/mcp/arguments.ts';
import { Choice } from '../../surfaces/mcp/choice.ts';
import {
  DOCUMENT_NAME,
  DocumentArguments,
  documentLink,
  IfMatchArgument,
  inWords,
  presentSummary,
  refOf,
  VisibilityArgument,
} from '../../surfaces/mcp/document.ts';
import { failureOf, isFault } from '../../surfaces/mcp/failure.ts';
import { type FieldRules, requireFields } from '../../surfaces/mcp/fields.ts';
import { OptionalText } from '../../surfaces/mcp/optional-text.ts';
import {
  AnyObject,
  PageArgument,
  pageOf,
  pageSummary,
  presentPage,
} from '../../surfaces/mcp/paging.ts';
import { defineTool, type ToolRequest } from '../../surfaces/mcp/tool.ts';
import { warningsForModel } from '../../surfaces/mcp/warnings.ts';
import { setLabels } from '../labels/label-service.ts';
import { moveDocument } from '../moves/document-move-service.ts';
import { pinToTop, unpinFromTop } from '../pins/pin-service.ts';
import { presentTrashed } from '../trash/trash-schema.ts';
import {
  deleteForever,
  listOrganizationTrash,
  listOwnTrash,
  restoreDocument,
} from '../trash/trash-service.ts';

const ACTIONS = [
  'update',
  'label',
  'pin',
  'unpin',
  'delete',
  'restore',
  'list_deleted',
  'delete_forever',
] as const;

const Input = Type.Object(
  {
    action: Choice(ACTIONS),
    ...DocumentArguments,
    name: OptionalText(DOCUMENT_NAME),
    new_name: OptionalText(),
    documents: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: 20,
        description: 'update with new_owner: several, instead of name.',
      }),
    ),
    new_owner: OptionalText({ description: 'A user (you) or organization.' }),
    visibility: VisibilityArgument,
    labels: Type.Optional(
      Type.Array(Type.String(), {
        description: 'label: replaces all labels. read_document, view outline, shows them.',
      }),
    ),
    document_id: OptionalText({ description: 'restore, delete_forever: from list_deleted.' }),
    revision: Type.Optional(RevisionNumber('update: the one you read.')),
    if_match: IfMatchArgument,
    ...PageArgument,
  },
  { additionalProperties: false },
);
type Input = Type.Static<typeof Input>;

const FIELDS: FieldRules<Input['action'], Exclude<keyof Input, 'action'>> = {
  update: {
    needs: [],
    takes: [
      'name',
      'documents',
      'kind',
      'owner',
      'new_name',
      'new_owner',
      'visibility',
      'revision',
      'if_match',
    ],
  },
  label: { needs: ['name', 'labels'], takes: ['kind', 'owner'] },
  pin: { needs: ['name'], takes: ['kind', 'owner'] },
  unpin: { needs: ['name'], takes: ['kind', 'owner'] },
  delete: { needs: ['name'], takes: ['kind', 'owner', 'if_match'] },
  restore: { needs: ['document_id'], takes: ['new_name'] },
  list_deleted: { needs: [], takes: ['owner', 'page'] },
  delete_forever: { needs: ['document_id'] },
};

const ARGUMENT_NAMES = {
  id: 'document_id',
  name: 'new_name',
  owner: 'new_owner',
  username: 'owner',
  org: 'owner',
  pin: 'action',
};

export const manageDocument = defineTool({
  name: 'manage_document',
  title: 'Rename, label, pin, hide, delete or restore a document',
  description:
    '`update` changes name, owner or visibility; old links still work. `label` replaces labels; ' +
    '`pin` puts it first in its owner’s lists. `delete` can be undone for some time: ' +
    '`list_deleted` (yours, or of the organization ' +
    '`owner`), `restore`. `delete_forever` can’t. Ask before you delete or make public.',
  scope: 'documents:write',
  effect: { destroys: true, repeatable: true },
  input: Input,
  output: Type.Object({
    document: Type.Optional(AnyObject),
    moved: Type.Optional(Type.Array(AnyObject)),
    refused: Type.Optional(Type.Array(AnyObject)),
    labels: Type.Optional(Type.Array(Type.String())),
    pinned: Type.Optional(Type.Boolean()),
    deleted: Type.Optional(Type.Boolean()),
    id: Type.Optional(Type.String()),
    restorableUntil: Type.Optional(Type.String()),
    list: Type.Optional(AnyObject),
  }),
  argumentNames: ARGUMENT_NAMES,
  handler: async (asked) => {
    const { action, ...given } = asked.input;
    requireFields(FIELDS, { action, given });
    return DEEDS[action](asked);
  },
});

const DEEDS = {
  update: async (asked: ToolRequest<Input>) => {
    const { call, input } = asked;
    const { new_name: name, new_owner: owner, visibility, documents } = input;
    if ((input.name === undefined) === (documents === undefined)) {
      throw invalidArgument('name', 'give either this or documents');
    }
    if (documents) return moveSeveral(asked, documents);
    if (owner !== undefined) return move(call, { ...input, new_owner: owner });
    if (name === undefined && visibility === undefined) {
      throw invalidArgument('arguments', 'give new_name, new_owner or visibility');
    }
    const fields = { ...(name !== undefined && { name }), ...(visibility && { visibility }) };
    const ifMatch = parseIfMatchArgument(input.if_match);
    const ref = named(call, input);
    const shown = input.revision;
    const seen = await changeDocument(call, ref, fields, ifMatch, { shown });
    const { summary, ...rest } = updated(call, seen);
    const warnings = visibility ? await warningsAboutOpened(call, seen.document) : [];
    return { summary: `${summary}${warningsForModel(warnings).sentence}`, ...rest };
  },
  label: async ({ call, input }: ToolRequest<Input>) => {
    const ref = named(call, input);
    const labels = await setLabels(call, ref, input.labels ?? []);
    const count = `${labels.length} ${labels.length === 1 ? 'label' : 'labels'}`;
    return { summary: `The ${ref.kind} now has ${count}.`, data: { labels } };
  },
  pin: async ({ call, input }: ToolRequest<Input>) => {
    await pinToTop(call, named(call, input));
    return { summary: 'It is now at the top of its owner’s lists.', data: { pinned: true } };
  },
  unpin: async ({ call, input }: ToolRequest<Input>) => {
    await unpinFromTop(call, named(call, input));
    return { summary: 'It is no longer pinned.', data: { pinned: false } };
  },
  delete: async ({ call, input }: ToolRequest<Input>) => {
    const ref = named(call, input);
    const ifMatch = parseIfMatchArgument(input.if_match);
    const { id, restorableUntil, isTakenDown } = await deleteDocument(call, ref, ifMatch);
    if (restorableUntil === null) {
      return { summary: `The ${ref.kind} was permanently deleted.`, data: { deleted: true, id } };
    }
    if (isTakenDown) {
      const summary = `The ${ref.kind} was deleted. It is taken down, so it can’t be restored.`;
      return { summary, data: { deleted: true, id, restorableUntil } };
    }
    return {
      summary: `The ${ref.kind} was deleted. It can be restored until ${restorableUntil}.`,
      data: { deleted: true, id, restorableUntil },
    };
  },
  restore: async ({ call, input }: ToolRequest<Input>) => {
    const { document_id: id = '', new_name } = input;
    const seen = await restoreDocument(call, id, new_name);
    return {
      summary: `Restored the ${inWords(seen.document)}.`,
      data: { document: presentSummary(call, seen) },
      links: [documentLink(seen.document)],
    };
  },
  list_deleted: async ({ call, input }: ToolRequest<Input>) => {
    const page = pageOf(input);
    const { type, namespace } = await resolveOwner(call.sql.read, call.actor, input.owner);
    if (type === 'user' && namespace !== call.actor.username) {
      throw invalidArgument('owner', 'is another user, whose deleted documents you can’t see');
    }
    const found =
      type === 'user'
        ? await listOwnTrash(call, page)
        : await listOrganizationTrash(call, namespace, page);
    const list = presentPage(found, page, presentTrashed);
    return { summary: pageSummary('Deleted documents', list), data: { list } };
  },
  delete_forever: async ({ call, input }: ToolRequest<Input>) => {
    await deleteForever(call, input.document_id ?? '');
    return { summary: 'The document was permanently deleted.', data: { deleted: true } };
  },
};

/** Gives documents to another owner. Each is moved as a whole or not at all, whatever the others are. */
async function moveSeveral(asked: ToolRequest<Input>, names: readonly string[]) {
  const { call, requireToken } = asked;
  const { documents: _, new_owner = '', new_name, if_match, revision, ...input } = asked.input;
  if (new_owner === '') throw invalidArgument('new_owner', 'is needed with documents');
  if (new_name !== undefined || if_match !== undefined || revision !== undefined) {
    const problem = 'can’t be given with new_name, if_match or revision';
    throw invalidArgument('documents', problem);
  }
  const moved: object[] = [];
  const refused: object[] = [];
  for (const document of names) {
    try {
      await requireToken();
      const { data } = await move(call, { ...input, name: document, new_owner });
      moved.push(data.document);
    } catch (thrown) {
      if (isFault(thrown)) throw thrown;
      const { code, message } = failureOf(thrown, { argumentNames: ARGUMENT_NAMES }, asked.input);
      refused.push({ document, code, message });
    }
  }
  const rest = refused.length > 0 ? `; ${refused.length} stayed, and "refused" says why` : '';
  return { summary: `Moved ${moved.length} of ${names.length}${rest}.`, data: { moved, refused } };
}

/** Gives a document to another owner, with its new name, if any. */
async function move(call: Call, input: Input & { new_owner: string }) {
  const { new_owner: owner, new_name: name, visibility } = input;
  if (visibility === 'public') {
    const problem = 'can only be private or internal with new_owner. Publish it afterwards';
    throw invalidArgument('visibility', problem);
  }
  const ifMatch = parseIfMatchArgument(input.if_match);
  const ref = named(call, input);
  const moved = await moveDocument(call, ref, { owner, name, visibility }, ifMatch);
  return updated(call, moved);
}

function updated(context: Context, seen: Seen<DocumentRow>) {
  const document = presentSummary(context, seen);
  return {
    summary: `It is now the ${inWords(seen.document)}, ${document.visibility}.`,
    data: { document },
    links: [documentLink(seen.document)],
  };
}

function named(call: Call, { name = '', ...input }: Input) {
  return refOf(call, { ...input, name });
}
