import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { usernamesOf } from '../../account/username-service.ts';
import type { Actor, Context } from '../../context.ts';
import { allow, type DefaultBriefPermission, type Visibility } from '../../document/access.ts';
import { readerUrl } from '../../document/addresses.ts';
import { requireAction, requireDocument } from '../../document/authorize.ts';
import { updateDocument } from '../../document/document-change-service.ts';
import { DocumentMoved } from '../../document/document-moved.ts';
import { requireCreatableOwner, resolveOwner } from '../../document/document-owner-service.ts';
import type { DocumentRef } from '../../document/document-ref.ts';
import {
  createDocument,
  getDocument,
  type WholeDocument,
} from '../../document/document-service.ts';
import { KINDS, type Kind } from '../../document/kind.ts';
import { NameTaken } from '../../document/name-taken.ts';
import { signedAddressOf } from '../../document/page-service.ts';
import { mustPropose } from '../../document/review/proposal-access-service.ts';
import { listTemplates, readTemplate } from '../../document/template-service.ts';
import { FieldError, ServiceError } from '../../errors.ts';
import { isNotModified, parseIfMatch } from '../../http/conditional.ts';
import { listCreatableOrganizations } from '../../organization/navigation-service.ts';
import { seeOther, sendOwnPage } from '../account-parts.ts';
import { type Faults, isRefusal } from '../form.ts';
import { allowStylesWith } from '../headers.ts';
import { consequenceOf } from '../pages/app/access-labels.ts';
import { type EditPage, editPage } from '../pages/app/edit-page.tsx';
import { visibilityWords } from '../pages/app/parts.tsx';
import { renderUnsavedTextPage } from '../pages/app/unsaved-text-page.tsx';
import { documentPath, newDocumentPath, pathOfRef } from './addresses.ts';
import {
  type AppParts,
  type AppRequest,
  type HandleSignedOut,
  sendRefusal,
  wantsJson,
} from './app-parts.ts';
import { addDocumentRoutes } from './document-routes.ts';
import {
  changesOf,
  type EditForm,
  editFaultsOf,
  newDocumentOf,
  readEditForm,
  rebased,
  requireText,
} from './edit-form.ts';
import { ownerInWords } from './share-view.ts';
import { unsavedTextPage } from './unsaved-text.ts';
import { createVisibilityMemory } from './visibility-memory.ts';

/** What the editor shows in addition to the document's current state. */
interface Shown {
  form?: EditForm;
  faults?: Faults;
  /** The text of a template, to start with. */
  start?: string;
  /** Whether the document has changed since the user read it. */
  isConflict?: boolean;
}

/** Adds `/new`, `/new/page` and `/edit/…`. Both kinds of document use the same form. */
export function addEditRoutes(parts: AppParts): void {
  for (const { kind } of Object.values(KINDS)) addNewRoutes(parts, kind);
  addChangeRoutes(parts);
}

function addNewRoutes(parts: AppParts, kind: Kind): void {
  const { context } = parts;
  const memory = createVisibilityMemory(context.webUrl);
  const path = newDocumentPath(kind);

  async function show(asked: AppRequest, owner: string, shown: Shown = {}, status?: number) {
    const { actor } = asked;
    const organizations = await listCreatableOrganizations(context, actor);
    const { form, start, faults = {} } = shown;
    const chosen = memory.of(asked.request);
    const person = { namespace: actor.username, name: actor.username };
    const owners = [{ ...person, defaultBriefPermission: 'none' as const }, ...organizations].map(
      ({ namespace, name, defaultBriefPermission: membersCan }) => ({
        ...{ namespace, name },
        visibility: chosen.get(namespace) ?? firstVisibility(membersCan),
      }),
    );
    const visibility = owners.find(({ namespace }) => namespace === owner)?.visibility ?? 'private';
    const namespaces = [owner, ...owners.map(({ namespace }) => namespace)];
    const templates =
      kind === 'brief' ? await listTemplates(context, actor, [...new Set(namespaces)]) : [];
    return sendEditor(parts, asked, status, {
      kind,
      owners,
      templates,
      document: undefined,
      rights: { visibility: true },
      fields: form ?? { content: start ?? '', name: '', visibility, owner },
      from: { name: '', visibility },
      isSent: form !== undefined || start !== undefined,
      etag: '',
      faults,
    });
  }

  parts.get<{ Querystring: { owner?: unknown; template?: unknown } }>(path, async (asked) => {
    const { owner = asked.actor.username, template } = asked.request.query;
    const ref = await resolveOwner(context.sql.read, asked.actor, String(owner));
    const { namespace } = await requireCreatableOwner(context.sql.read, asked.actor, ref);
    if (kind !== 'brief' || template === undefined) return show(asked, namespace);
    const [of = '', name = ''] = String(template).split('/');
    const start = await readTemplate(context, asked.actor, { kind, owner: of, name });
    return show(asked, namespace, { start });
  });

  parts.post(
    path,
    (asked) =>
      withWritten(parts, asked, kind, async (form) => {
        const { actor } = asked;
        requireSameWriter(actor, form);
        try {
          const owner = await resolveOwner(context.sql.read, actor, form.owner);
          requireText(form, kind);
          const seen = await createDocument(context, actor, kind, owner, newDocumentOf(form));
          const { ownerNamespace, visibility } = seen.document;
          memory.keep(asked.request, asked.reply, ownerNamespace, visibility);
          return saved(parts, asked, seen, await firstSaved(context, actor, seen));
        } catch (error) {
          if (error instanceof NameTaken && wantsJson(asked.request)) {
            return sendNameTaken(asked, error);
          }
          const { fault, faults } = correctable(error, asked, kind);
          const shown = { form: withFreeName(form, error), faults };
          return show(asked, form.owner, shown, fault.status);
        }
      }),
    giveBackToSignedOut(parts, kind),
  );
}

/**
 * Returns the visibility that the app suggests for a new document: private, or internal in an
 * organization whose members can read its documents by default. The API's default is public
 * (specification).
 */
function firstVisibility(membersCan: DefaultBriefPermission): Visibility {
  return membersCan === 'none' ? 'private' : 'internal';
}

function addChangeRoutes(parts: AppParts): void {
  const { context } = parts;

  async function show(asked: AppRequest, seen: WholeDocument, shown: Shown = {}, status?: number) {
    const { form, faults = {}, isConflict = false } = shown;
    const { document, etag, text } = seen;
    const { kind, ownerNamespace, name, visibility } = document;
    const own = { content: text, name, visibility, owner: ownerNamespace };
    return sendEditor(parts, asked, status, {
      kind,
      owners: [],
      document,
      rights: { visibility: allow(asked.actor, 'changeVisibility', document) },
      fields: form ? { ...own, ...form, visibility: form.visibility || visibility } : own,
      from: { name: form?.fromName || name, visibility: form?.fromVisibility || visibility },
      isSent: form !== undefined,
      etag,
      faults,
      savedBy: await writerOf(context, asked.actor, seen),
      ...(isConflict && { theirs: { content: text } }),
      ...(kind === 'page' && {
        saved: (await signedAddressOf(context, asked.actor, document)).url,
      }),
    });
  }

  addDocumentRoutes(parts, 'edit', {
    async get(asked, ref) {
      if (wantsJson(asked.request)) return sendNewer(context, asked, ref);
      if (await mustPropose(context, asked.actor, ref)) {
        return seeOther(asked.reply, pathOfRef('propose', ref));
      }
      return show(asked, await readEditable(context, asked.actor, ref));
    },
    post: (asked, ref) =>
      withWritten(parts, asked, ref.kind, async (form) => {
        const { request, actor } = asked;
        requireSameWriter(actor, form);
        const before = await requireDocument(context.sql.read, actor, ref, 'editContent');
        try {
          const changes = changesOf(form, before.document);
          // Without a tag we don't know what the writer saw, so nothing may match.
          const ifMatch = parseIfMatch(form.etag === '' ? '""' : form.etag);
          const after = await updateDocument(context, actor, ref, changes, ifMatch);
          return saved(parts, asked, after);
        } catch (error) {
          if (isConflict(error)) {
            const now = await readEditable(context, actor, ref);
            if (wantsJson(request)) return sendConflict(context, asked, error, now);
            const shown = { form: rebased(form, now.document), isConflict: true };
            return show(asked, now, shown, error.status);
          }
          if (error instanceof NameTaken && wantsJson(request)) return sendNameTaken(asked, error);
          const { fault, faults } = correctable(error, asked, ref.kind);
          // The next attempt must still replace the state that the writer saw.
          const seen = { ...before, etag: form.etag, text: form.content };
          return show(asked, seen, { form: withFreeName(form, error), faults }, fault.status);
        }
      }),
    postSignedOut: (kind) => giveBackToSignedOut(parts, kind),
  });
}

/**
 * Reads the form and passes it on. If saving fails, a browser without scripts gets its text back.
 */
export async function withWritten(
  parts: AppParts,
  { request, reply, actor }: AppRequest,
  kind: Kind,
  work: (form: EditForm) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const form = await readEditForm(request, kind);
  try {
    return await work(form);
  } catch (error) {
    const isNoAnswer = !(error instanceof ServiceError) || error instanceof DocumentMoved;
    if (wantsJson(request) || isNoAnswer) throw error;
    const written = { kind, form, path: request.url };
    const html = renderUnsavedTextPage(parts.site, unsavedTextPage(error, written, actor));
    return sendOwnPage(reply, html, error.status);
  }
}

/** Returns the text to a user who is no longer signed in. */
export function giveBackToSignedOut({ site }: AppParts, kind: Kind): HandleSignedOut {
  return async (request, reply) => {
    const form = await readEditForm(request, kind);
    const error = new ServiceError('UNAUTHORIZED', 'You’re signed out, so this was not saved.');
    const html = renderUnsavedTextPage(
      site,
      unsavedTextPage(error, { kind, form, path: request.url }),
    );
    return sendOwnPage(reply, html, error.status);
  };
}

/** Sends the editor. A nonce in the policy allows its own styles. */
export function sendEditor(
  parts: AppParts,
  asked: AppRequest,
  status: number | undefined,
  page: Omit<EditPage, 'accountId' | 'nonce' | 'previewUrl'>,
): Promise<FastifyReply> {
  const nonce = randomBytes(16).toString('base64url');
  allowStylesWith(asked.reply, nonce);
  const previewUrl = `${parts.context.renderUrl}/preview`;
  return parts.show(
    asked,
    editPage({ ...page, accountId: asked.actor.id, nonce, previewUrl }),
    status,
  );
}

/**
 * Answers a save: scripts get the document's new state, other browsers a redirect to it.
 *
 * @param first the message when a new document was saved
 */
function saved(
  parts: AppParts,
  asked: AppRequest,
  seen: WholeDocument,
  first?: string,
): FastifyReply {
  const { document } = seen;
  const read = documentPath('read', document);
  if (!wantsJson(asked.request)) return parts.goOn(asked, read, { message: first ?? 'Saved.' });
  const link = readerUrl(parts.context.webUrl, document);
  return asked.reply
    .header('cache-control', 'private, no-store')
    .send({ ...stateOf(seen), ...(first !== undefined && { link, message: first }) });
}

/** Says where a new document is and who can read it. */
async function firstSaved(
  context: Context,
  actor: Actor,
  { document }: WholeDocument,
): Promise<string> {
  const { ownerNamespace, name, visibility } = document;
  const owner = await ownerInWords(context, actor, document);
  const { label } = visibilityWords(visibility);
  const who = consequenceOf(visibility, owner, 'people you invite');
  return `Saved as ${ownerNamespace}/${name}. ${label}: ${who.charAt(0).toLowerCase()}${who.slice(1)}`;
}

async function sendConflict(
  context: Context,
  { reply, actor }: AppRequest,
  error: ServiceError,
  seen: WholeDocument,
): Promise<FastifyReply> {
  return sendRefusal(reply, error, { current: await currentOf(context, actor, seen) });
}

/** Sends the current version to the editor's script, unless the script has it. */
async function sendNewer(
  context: Context,
  { request, reply, actor }: AppRequest,
  ref: DocumentRef,
): Promise<FastifyReply> {
  reply.header('cache-control', 'private, no-store');
  const { etag } = await requireDocument(context.sql.read, actor, ref, 'editContent');
  if (isNotModified(request.headers, { etag })) return reply.code(304).header('etag', etag).send();
  return reply.send(await currentOf(context, actor, await readEditable(context, actor, ref)));
}

/** The service's current version, for the editor's script. */
async function currentOf(context: Context, actor: Actor, seen: WholeDocument) {
  return {
    ...stateOf(seen),
    content: seen.text,
    savedBy: await writerOf(context, actor, seen),
    savedAt: seen.document.updatedAt,
  };
}

function sendNameTaken({ reply }: AppRequest, error: NameTaken): FastifyReply {
  return sendRefusal(reply, error, { freeName: error.freeName });
}

/** Returns the form with a free name in place of a taken one, ready to submit again. */
function withFreeName(form: EditForm, error: unknown): EditForm {
  return error instanceof NameTaken && error.freeName !== undefined
    ? { ...form, name: error.freeName }
    : form;
}

/** The state of a document that the editor's script needs. */
function stateOf({ document, etag }: WholeDocument) {
  const { id, name, visibility, ownerNamespace } = document;
  return {
    ...{ id, name, visibility, etag, owner: ownerNamespace },
    path: documentPath('edit', document),
    readPath: documentPath('read', document),
  };
}

/** @throws NOT_FOUND; FORBIDDEN if the actor can't edit the document */
async function readEditable(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
): Promise<WholeDocument> {
  const seen = await getDocument(context, actor, ref);
  requireAction(seen, ref, 'editContent');
  return seen;
}

/** Returns “You” or the name of the last writer, or `undefined` if the account was deleted. */
async function writerOf(
  context: Context,
  actor: Actor,
  { document }: WholeDocument,
): Promise<string | undefined> {
  if (document.updatedBy === actor.id) return 'You';
  return (await usernamesOf(context, [document.updatedBy])).get(document.updatedBy);
}

/** Refuses a text if another user has signed in, in another tab, since the editor was opened. */
export function requireSameWriter(actor: Actor, { account }: Pick<EditForm, 'account'>): void {
  if (account === '' || account === actor.id) return;
  throw new FieldError(
    'FORBIDDEN',
    'account',
    `You’re now signed in as ${actor.username}, but another user wrote this. ` +
      'Sign in as that user, then save again.',
  );
}

function isConflict(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'PRECONDITION_FAILED';
}

/** Returns the errors that the user can fix in the form. Throws others, and all of them for scripts. */
export function correctable(
  error: unknown,
  { request }: AppRequest,
  kind: Kind,
): { fault: ServiceError; faults: Faults } {
  if (!isRefusal(error) || wantsJson(request)) throw error;
  const isOfForm = ['BAD_REQUEST', 'UNPROCESSABLE', 'CONTENT_TOO_LARGE'].includes(error.code);
  if (!isOfForm) throw error;
  return { fault: error, faults: editFaultsOf(error, kind) };
}
