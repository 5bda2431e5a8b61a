import { requireDocument } from '../../core/document/authorize.ts';
import { changeDocument } from '../../core/document/document-change-service.ts';
import { deleteDocument } from '../../core/document/document-service.ts';
import { documentPath, trashPath } from '../../surfaces/web/addresses.ts';
import type { AppParts } from '../../surfaces/web/app-parts.ts';
import { addDocumentRoutes } from '../../surfaces/web/document-routes.ts';
import { isCorrectable, readForm } from '../../surfaces/web/form.ts';
import { listDocumentCollaborators } from '../sharing/collaborator-service.ts';
import { deletePage, renamePage } from './manage-pages.tsx';

/** Adds `/rename/…` and `/delete/…`. */
export function addManageRoutes(parts: AppParts): void {
  const { context } = parts;

  addDocumentRoutes(parts, 'rename', {
    get: async (asked, ref) => {
      const { document } = await requireDocument(context.sql.read, asked.call.actor, ref, 'rename');
      return parts.show(asked, renamePage(document, { name: document.name }));
    },
    post: async (asked, ref) => {
      const { call, request } = asked;
      const { name } = readForm(request.body, ['name']);
      const before = await requireDocument(context.sql.read, call.actor, ref, 'rename');
      try {
        const { document } = await changeDocument(call, ref, { name }, undefined);
        return parts.goOn(asked, documentPath('read', document), {
          message: `Renamed to ${document.name}.`,
          undo: {
            action: documentPath('rename', document),
            fields: { name: before.document.name },
          },
        });
      } catch (error) {
        if (!isCorrectable(error)) throw error;
        const page = renamePage(before.document, { name, fault: error.sentence });
        return parts.show(asked, page, 422);
      }
    },
  });

  addDocumentRoutes(parts, 'delete', {
    get: async (asked, ref) => {
      const { call } = asked;
      const { document } = await requireDocument(context.sql.read, call.actor, ref, 'delete');
      const one = { number: 1, size: 1 };
      const isThere = document.takenDownAt === null;
      const { total } = isThere ? await listDocumentCollaborators(call, ref, one) : { total: 0 };
      return parts.show(asked, deletePage(document, total, context.trashMs));
    },
    post: async (asked, ref) => {
      const deleted = await deleteDocument(asked.call, ref, undefined);
      const { id, restorableUntil, isTakenDown } = deleted;
      return parts.goOn(asked, '/', {
        message: `${ref.owner}/${ref.name} was deleted.`,
        ...(restorableUntil !== null &&
          !isTakenDown && {
            undo: { action: trashPath(id, 'restore'), fields: { name: ref.name } },
          }),
      });
    },
  });
}
