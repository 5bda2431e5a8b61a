import { NameTaken } from '../../core/document/name-taken.ts';
import { seeOther } from '../../surfaces/web/account-parts.ts';
import { documentPath, organizationPath, TRASH_PATH } from '../../surfaces/web/addresses.ts';
import type { AppParts } from '../../surfaces/web/app-parts.ts';
import { isCorrectable, pageNumberOf, readForm } from '../../surfaces/web/form.ts';
import { LIST_SIZE } from '../../surfaces/web/pages/pager.tsx';
import { type OrganizationRoute, showToMembers } from '../organizations/organization-view.ts';
import {
  deleteForeverPage,
  organizationTrashPage,
  ownTrashPage,
  restorePage,
} from './trash-pages.tsx';
import {
  deleteForever,
  listOrganizationTrash,
  listOwnTrash,
  requireTrashed,
  restoreDocument,
  type TrashedDocument,
} from './trash-service.ts';

interface TrashedRoute {
  Params: { id: string };
}

/**
 * Adds `/trash` and an organization's trash, where documents are restored or deleted for
 * good.
 */
export function addTrashRoutes(parts: AppParts): void {
  const { context, get, post, goOn, show } = parts;

  get<{ Querystring: { page?: unknown } }>(TRASH_PATH, async (asked) => {
    const page = pageNumberOf(asked.request.query.page);
    const found = await listOwnTrash(context, asked.actor, { number: page, size: LIST_SIZE });
    return show(asked, ownTrashPage({ ...found, page, now: context.now() }));
  });

  // The trash was here before. Old links still work.
  get('/settings/trash', async ({ reply }) => seeOther(reply, TRASH_PATH));

  get<OrganizationRoute>('/organizations/:org/trash', async (asked) =>
    showToMembers(parts, asked, async (organization) => {
      const page = pageNumberOf(asked.request.query.page);
      const request = { number: page, size: LIST_SIZE };
      const { namespace } = organization;
      const found = await listOrganizationTrash(context, asked.actor, namespace, request);
      return show(
        asked,
        organizationTrashPage(organization, { ...found, page, now: context.now() }),
      );
    }),
  );

  post<TrashedRoute>(`${TRASH_PATH}/:id/restore`, async (asked) => {
    const { actor, request } = asked;
    const { name } = readForm(request.body, ['name']);
    const trashed = await requireTrashed(context, actor, request.params.id);
    try {
      const { document } = await restoreDocument(context, actor, trashed.id, name);
      const message = `${document.ownerNamespace}/${document.name} was restored.`;
      return goOn(asked, documentPath('read', document), { message });
    } catch (error) {
      if (!isCorrectable(error)) throw error;
      const free = error instanceof NameTaken ? error.freeName : undefined;
      const form = { name: free ?? name, fault: error.sentence };
      return show(asked, restorePage(trashed, { ...form, back: trashOf(trashed) }), 422);
    }
  });

  get<TrashedRoute>(`${TRASH_PATH}/:id/delete`, async (asked) => {
    const trashed = await requireTrashed(context, asked.actor, asked.request.params.id);
    return show(asked, deleteForeverPage(trashed, trashOf(trashed)));
  });

  post<TrashedRoute>(`${TRASH_PATH}/:id/delete`, async (asked) => {
    const trashed = await requireTrashed(context, asked.actor, asked.request.params.id);
    await deleteForever(context, asked.actor, trashed.id);
    const message = `${trashed.ownerNamespace}/${trashed.name} was deleted forever.`;
    return goOn(asked, trashOf(trashed), { message });
  });
}

/** Returns the address of the trash that lists a document. */
function trashOf({ role, ownerNamespace }: TrashedDocument): string {
  return role === null ? TRASH_PATH : organizationPath(ownerNamespace, 'trash');
}
