import { Type } from 'typebox';
import type { Actor, Context } from '../../core/context.ts';
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
import { type FieldRules, requireFields } from '../../surfaces/mcp/fields.ts';
import { OptionalText } from '../../surfaces/mcp/optional-text.ts';
import {
  AnyObject,
  PageArgument,
  pageOf,
  pageSummary,
  presentPage,
} from '../../surfaces/mcp/paging.ts';
import { type Call, defineTool } from '../../surfaces/mcp/tool.ts';
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
    needs: ['name'],
    takes: ['kind', 'owner', 'new_name', 'new_owner', 'visibility', 'revision', 'if_match'],
  },
  label: { needs: ['name', 'labels'], takes: ['kind', 'owner'] },
  pin: { needs: ['name'], takes: ['kind', 'owner'] },
  unpin: { needs: ['name'], takes: ['kind', 'owner'] },
  delete: { needs: ['name'], takes: ['kind', 'owner', 'if_match'] },
  restore: { needs: ['document_id'], takes: ['new_name'] },
  list_deleted: { needs: [], takes: ['owner', 'page'] },
  delete_forever: { needs: ['document_id'] },
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
    labels: Type.Optional(Type.Array(Type.String())),
    pinned: Type.Optional(Type.Boolean()),
    deleted: Type.Optional(Type.Boolean()),
    id: Type.Optional(Type.String()),
    restorableUntil: Type.Optional(Type.String()),
    list: Type.Optional(AnyObject),
  }),
  argumentNames: {
    id: 'document_id',
    name: 'new_name',
    owner: 'new_owner',
    username: 'owner',
    org: 'owner',
    pin: 'action',
  },
  handler: async (call) => {
    const { action, ...given } = call.input;
    requireFields(FIELDS, { action, given });
    return DEEDS[action](call);
  },
});

const DEEDS = {
  update: async ({ context, actor, input }: Call<Input>) => {
    const { new_name: name, new_owner: owner, visibility } = input;
    if (owner !== undefined) return move(context, actor, { ...input, new_owner: owner });
    if (name === undefined && visibility === undefined) {
      throw invalidArgument('arguments', 'give new_name, new_owner or visibility');
    }
    const fields = { ...(name !== undefined && { name }), ...(visibility && { visibility }) };
    const ifMatch = parseIfMatchArgument(input.if_match);
    const ref = named(context, actor, input);
    const shown = input.revision;
    const seen = await changeDocument(context, actor, ref, fields, ifMatch, { shown });
    const { summary, ...rest } = updated(context, seen);
    const warnings = visibility ? await warningsAboutOpened(context, actor, seen.document) : [];
    return { summary: `${summary}${warningsForModel(warnings).sentence}`, ...rest };
  },
  label: async ({ context, actor, input }: Call<Input>) => {
    const ref = named(context, actor, input);
    const labels = await setLabels(context, actor, ref, input.labels ?? []);
    const count = `${labels.length} ${labels.length === 1 ? 'label' : 'labels'}`;
    return { summary: `The ${ref.kind} now has ${count}.`, data: { labels } };
  },
  pin: async ({ context, actor, input }: Call<Input>) => {
    await pinToTop(context, actor, named(context, actor, input));
    return { summary: 'It is now at the top of its owner’s lists.', data: { pinned: true } };
  },
  unpin: async ({ context, actor, input }: Call<Input>) => {
    await unpinFromTop(context, actor, named(context, actor, input));
    return { summary: 'It is no longer pinned.', data: { pinned: false } };
  },
  delete: async ({ context, actor, input }: Call<Input>) => {
    const ref = named(context, actor, input);
    const ifMatch = parseIfMatchArgument(input.if_match);
    const { id, restorableUntil, isTakenDown } = await deleteDocument(context, actor, ref, ifMatch);
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
  restore: async ({ context, actor, input }: Call<Input>) => {
    const { document_id: id = '', new_name } = input;
    const seen = await restoreDocument(context, actor, id, new_name);
    return {
      summary: `Restored the ${inWords(seen.document)}.`,
      data: { document: presentSummary(context, seen) },
      links: [documentLink(seen.document)],
    };
  },
  list_deleted: async ({ context, actor, input }: Call<Input>) => {
    const page = pageOf(input);
    const { type, namespace } = await resolveOwner(context.sql.read, actor, input.owner);
    if (type === 'user' && namespace !== actor.username) {
      throw invalidArgument('owner', 'is another user, whose deleted documents you can’t see');
    }
    const found =
      type === 'user'
        ? await listOwnTrash(context, actor, page)
        : await listOrganizationTrash(context, actor, namespace, page);
    const list = presentPage(found, page, presentTrashed);
    return { summary: pageSummary('Deleted documents', list), data: { list } };
  },
  delete_forever: async ({ context, actor, input }: Call<Input>) => {
    await deleteForever(context, actor, input.document_id ?? '');
    return { summary: 'The document was permanently deleted.', data: { deleted: true } };
  },
};

/** Gives a document to another owner, with its new name, if any. */
async function move(context: Context, actor: Actor, input: Input & { new_owner: string }) {
  const { new_owner: owner, new_name: name, visibility } = input;
  if (visibility !== undefined && visibility !== 'private') {
    throw invalidArgument('visibility', 'can only be private with new_owner. Change it afterwards');
  }
  const ifMatch = parseIfMatchArgument(input.if_match);
  const ref = named(context, actor, input);
  const moved = await moveDocument(context, actor, ref, { owner, name, visibility }, ifMatch);
  return updated(context, moved);
}

function updated(context: Context, seen: Seen<DocumentRow>) {
  const document = presentSummary(context, seen);
  return {
    summary: `It is now the ${inWords(seen.document)}, ${document.visibility}.`,
    data: { document },
    links: [documentLink(seen.document)],
  };
}

function named(context: Context, actor: Actor, { name = '', ...input }: Input) {
  return refOf(context, actor, { ...input, name });
}
