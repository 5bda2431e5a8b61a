import { requireDocument } from '../../document/authorize.ts';
import { changeDocument } from '../../document/document-change-service.ts';
import { deleteDocument } from '../../document/document-service.ts';
import { listDocumentCollaborators } from '../../document/sharing/collaborator-service.ts';
import { isCorrectable, readForm } from '../form.ts';
import { deletePage, renamePage } from '../pages/app/manage-pages.tsx';
import { documentPath, trashPath } from './addresses.ts';
import type { AppParts } from './app-parts.ts';
import { addDocumentRoutes } from './document-routes.ts';

/** Adds `/rename/…` and `/delete/…`. */
export function addManageRoutes(parts: AppParts): void {
  const { context } = parts;

  addDocumentRoutes(parts, 'rename', {
    get: async (asked, ref) => {
      const { document } = await requireDocument(context.sql.read, asked.actor, ref, 'rename');
      return parts.show(asked, renamePage(document, { name: document.name }));
    },
    post: async (asked, ref) => {
      const { actor, request } = asked;
      const { name } = readForm(request.body, ['name']);
      const before = await requireDocument(context.sql.read, actor, ref, 'rename');
      try {
        const { document } = await changeDocument(context, actor, ref, { name }, undefined);
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
      const { actor } = asked;
      const { document } = await requireDocument(context.sql.read, actor, ref, 'delete');
      const one = { number: 1, size: 1 };
      const { total } = await listDocumentCollaborators(context, actor, ref, one);
      return parts.show(asked, deletePage(document, total, context.trashMs));
    },
    post: async (asked, ref) => {
      const deleted = await deleteDocument(context, asked.actor, ref, undefined);
      const { id, restorableUntil } = deleted;
      return parts.goOn(asked, '/', {
        message: `${ref.owner}/${ref.name} was deleted.`,
        ...(restorableUntil !== null && {
          undo: { action: trashPath(id, 'restore'), fields: { name: ref.name } },
        }),
      });
    },
  });
}
