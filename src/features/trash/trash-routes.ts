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
    const found = await listOwnTrash(asked.call, { number: page, size: LIST_SIZE });
    return show(asked, ownTrashPage({ ...found, page, now: context.now() }));
  });

  // The trash was here before. Old links still work.
  get('/settings/trash', async ({ reply }) => seeOther(reply, TRASH_PATH));

  get<OrganizationRoute>('/organizations/:org/trash', async (asked) =>
    showToMembers(parts, asked, async (organization) => {
      const page = pageNumberOf(asked.request.query.page);
      const request = { number: page, size: LIST_SIZE };
      const { namespace } = organization;
      const found = await listOrganizationTrash(asked.call, namespace, request);
      return show(
        asked,
        organizationTrashPage(organization, { ...found, page, now: context.now() }),
      );
    }),
  );

  post<TrashedRoute>(`${TRASH_PATH}/:id/restore`, async (asked) => {
    const { call, request } = asked;
    const { name } = readForm(request.body, ['name']);
    const trashed = await requireTrashed(call, request.params.id);
    try {
      const { document } = await restoreDocument(call, trashed.id, name);
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
    const trashed = await requireTrashed(asked.call, asked.request.params.id);
    return show(asked, deleteForeverPage(trashed, trashOf(trashed)));
  });

  post<TrashedRoute>(`${TRASH_PATH}/:id/delete`, async (asked) => {
    const trashed = await requireTrashed(asked.call, asked.request.params.id);
    await deleteForever(asked.call, trashed.id);
    const message = `${trashed.ownerNamespace}/${trashed.name} was deleted forever.`;
    return goOn(asked, trashOf(trashed), { message });
  });
}

function trashOf({ role, ownerNamespace }: TrashedDocument): string {
  return role === null ? TRASH_PATH : organizationPath(ownerNamespace, 'trash');
}
