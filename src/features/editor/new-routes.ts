import { KINDS, type Kind } from '../../base/schema/kind.ts';
import type { Visibility } from '../../base/schema/visibility.ts';
import type { DefaultBriefPermission } from '../../core/document/access-rules.ts';
import { createDocument } from '../../core/document/document-service.ts';
import { NameTaken } from '../../core/document/name-taken.ts';
import { requireCreatableOwner, resolveOwner } from '../../core/owner/document-owner-service.ts';
import { listCreatableOrganizations } from '../../core/owner/navigation-service.ts';
import { newDocumentPath } from '../../surfaces/web/addresses.ts';
import { type AppParts, type AppRequest, wantsJson } from '../../surfaces/web/app-parts.ts';
import { type Faults, requireSameWriter } from '../../surfaces/web/form.ts';
import { createVisibilityMemory } from '../sharing/visibility-memory.ts';
import { listTemplates, readTemplate } from '../templates/template-service.ts';
import { correctable, withFreeName } from './edit-faults.ts';
import { type EditForm, newDocumentOf, requireText } from './edit-form.ts';
import { sendEditor } from './editor-view.ts';
import { savedMessage, sendNameTaken, sendSaved } from './save-answers.ts';
import { returnTextToSignedOut, withEditForm } from './unsaved-text.ts';

/** What the editor of a new document shows. */
interface Shown {
  form?: EditForm;
  faults?: Faults;
  /** The text of a template, to start with. */
  start?: string;
}

/** Adds `/new` and `/new/page`, the editors of new documents. */
export function addNewRoutes(parts: AppParts): void {
  for (const { kind } of Object.values(KINDS)) addKindRoutes(parts, kind);
}

function addKindRoutes(parts: AppParts, kind: Kind): void {
  const { context } = parts;
  const memory = createVisibilityMemory(context.webUrl);
  const path = newDocumentPath(kind);

  async function show(asked: AppRequest, owner: string, shown: Shown = {}, status?: number) {
    const { call } = asked;
    const organizations = await listCreatableOrganizations(call);
    const { form, start, faults = {} } = shown;
    const chosen = memory.of(asked.request);
    const person = { namespace: call.actor.username, name: call.actor.username };
    const own = { ...person, defaultBriefPermission: 'none' as const, publicDocuments: true };
    const owners = [own, ...organizations].map(
      ({ namespace, name, defaultBriefPermission: membersCan, publicDocuments }) => {
        const last = chosen.get(namespace);
        const isUsable = last !== undefined && (publicDocuments || last !== 'public');
        const visibility = isUsable ? last : firstVisibility(membersCan);
        return { namespace, name, visibility, publicDocuments };
      },
    );
    const visibility = owners.find(({ namespace }) => namespace === owner)?.visibility ?? 'private';
    const namespaces = [owner, ...owners.map(({ namespace }) => namespace)];
    const templates = kind === 'brief' ? await listTemplates(call, [...new Set(namespaces)]) : [];
    return sendEditor(parts, asked, status, {
      kind,
      owners,
      templates,
      document: undefined,
      rights: { visibility: true, publish: true },
      fields: form ?? { content: start ?? '', name: '', visibility, owner },
      from: { name: '', visibility },
      isSent: form !== undefined || start !== undefined,
      etag: '',
      faults,
    });
  }

  parts.get<{ Querystring: { owner?: unknown; template?: unknown } }>(path, async (asked) => {
    const { owner = asked.call.actor.username, template } = asked.request.query;
    const ref = await resolveOwner(context.sql.read, asked.call.actor, String(owner));
    const { namespace } = await requireCreatableOwner(context.sql.read, asked.call.actor, ref);
    if (kind !== 'brief' || template === undefined) return show(asked, namespace);
    const [of = '', name = ''] = String(template).split('/');
    const start = await readTemplate(asked.call, { kind, owner: of, name });
    return show(asked, namespace, { start });
  });

  parts.post(
    path,
    (asked) =>
      withEditForm(parts, asked, kind, async (form) => {
        const { call } = asked;
        requireSameWriter(call.actor, form);
        try {
          const owner = await resolveOwner(context.sql.read, call.actor, form.owner);
          requireText(form, kind);
          const seen = await createDocument(call, kind, owner, newDocumentOf(form));
          const { ownerNamespace, visibility } = seen.document;
          memory.keep(asked.request, asked.reply, ownerNamespace, visibility);
          return sendSaved(parts, asked, seen, { created: await savedMessage(call, seen) });
        } catch (error) {
          if (error instanceof NameTaken && wantsJson(asked.request)) {
            return sendNameTaken(asked, error);
          }
          const { fault, faults } = correctable(error, asked, kind);
          const shown = { form: withFreeName(form, error), faults };
          return show(asked, form.owner, shown, fault.status);
        }
      }),
    returnTextToSignedOut(parts, kind),
  );
}

/**
 * Returns the visibility that the app suggests for a new document: private, or internal in an
 * organization whose default permission isn't `none`. The API's default is public (specification).
 */
function firstVisibility(membersCan: DefaultBriefPermission): Visibility {
  return membersCan === 'none' ? 'private' : 'internal';
}
