import { nothingAtAddress } from '../../base/errors.ts';
import { KINDS } from '../../base/schema/kind.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { TAKEDOWNS_PATH } from '../../surfaces/web/addresses.ts';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import type { DocumentRoute } from '../../surfaces/web/document-routes.ts';
import { isCorrectable, pageNumberOf, readForm } from '../../surfaces/web/form.ts';
import { LIST_SIZE } from '../../surfaces/web/pages/pager.tsx';
import { takeDownPage, takedownPage, takedownsPage } from './takedown-pages.tsx';
import {
  endTakedown,
  listAllTakedowns,
  requireAdminScreen,
  showTakedown,
  takeDown,
} from './takedown-service.ts';

/**
 * Adds `/admin/take-down/…`, which takes a public document down, and `/admin/takedowns`, which lists what
 * is taken down and restores it. For whoever doesn't administer the instance, there is nothing there.
 */
export function addTakedownRoutes(parts: AppParts): void {
  const { context, get, post, show, goOn, act } = parts;

  /** Returns the public document that an administrator takes down. @throws NOT_FOUND */
  async function requirePublic({ call }: AppRequest<DocumentRoute>, ref: DocumentRef) {
    await requireAdminScreen(context.sql.read, call.actor);
    const { document } = await requireDocument(context.sql.read, call.actor, ref, 'read');
    if (document.visibility !== 'public') throw nothingAtAddress();
    return document;
  }

  for (const { kind, webSegments } of Object.values(KINDS)) {
    const path = `/${['admin', 'take-down', ':owner', ...webSegments, ':name'].join('/')}`;

    get<DocumentRoute>(path, async (asked) => {
      const document = await requirePublic(asked, { kind, ...asked.request.params });
      return show(asked, takeDownPage(document, { reason: '' }));
    });

    post<DocumentRoute>(path, async (asked) => {
      const ref = { kind, ...asked.request.params };
      const document = await requirePublic(asked, ref);
      const { reason } = readForm(asked.request.body, ['reason']);
      try {
        const { id, ownerNamespace, name } = await takeDown(context, asked.call.actor, ref, {
          reason,
        });
        const message = `${ownerNamespace}/${name} was taken down.`;
        return goOn(asked, `${TAKEDOWNS_PATH}/${id}`, { message });
      } catch (error) {
        if (!isCorrectable(error)) throw error;
        return show(asked, takeDownPage(document, { reason, fault: error.sentence }), 422);
      }
    });
  }

  get<{ Querystring: { page?: unknown } }>(TAKEDOWNS_PATH, async (asked) => {
    await requireAdminScreen(context.sql.read, asked.call.actor);
    const page = pageNumberOf(asked.request.query.page);
    const found = await listAllTakedowns(context, asked.call.actor, {
      number: page,
      size: LIST_SIZE,
    });
    const list = { ...found, page, size: LIST_SIZE };
    return show(asked, takedownsPage({ ...list, now: context.now() }));
  });

  get<{ Params: { id: string } }>(`${TAKEDOWNS_PATH}/:id`, async (asked) => {
    await requireAdminScreen(context.sql.read, asked.call.actor);
    const shown = await showTakedown(asked.call, asked.request.params.id);
    return show(asked, takedownPage(shown));
  });

  post<{ Params: { id: string } }>(`${TAKEDOWNS_PATH}/:id/restore`, async (asked) => {
    await requireAdminScreen(context.sql.read, asked.call.actor);
    return act(asked, TAKEDOWNS_PATH, async () => {
      const which = { id: asked.request.params.id };
      const { ownerNamespace, name } = await endTakedown(context, asked.call.actor, which);
      return { message: `${ownerNamespace}/${name} was restored.` };
    });
  });
}
