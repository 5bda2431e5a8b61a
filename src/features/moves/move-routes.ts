import type { FastifyReply } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { listCreatableOrganizations } from '../../core/owner/navigation-service.ts';
import { restrictsSharing, takeable } from '../../core/owner/policy-service.ts';
import { getProtection } from '../../core/review/protection-service.ts';
import { documentPath } from '../../surfaces/web/addresses.ts';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import { addDocumentRoutes } from '../../surfaces/web/document-routes.ts';
import { type Faults, faultsOf, isCorrectable, readForm } from '../../surfaces/web/form.ts';
import { ownerInWords } from '../sharing/share-view.ts';
import { moveDocument } from './document-move-service.ts';
import { type MovePage, type MoveTarget, movePage } from './move-page.tsx';

/** Adds `/move/…`, which gives a document to another owner. */
export function addMoveRoutes(parts: AppParts): void {
  const { context } = parts;

  async function ownersFor({ call }: AppRequest): Promise<MoveTarget[]> {
    const organizations = await listCreatableOrganizations(call);
    return [
      { namespace: call.actor.username, publicDocuments: true },
      ...organizations.map(({ namespace, publicDocuments, ...organization }) => ({
        namespace,
        organization,
        publicDocuments,
      })),
    ];
  }

  async function pageOf(
    asked: AppRequest,
    document: DocumentRow,
    sent?: { form: MovePage['form']; faults: Faults },
  ): Promise<MovePage> {
    const [owners, from, protection] = await Promise.all([
      ownersFor(asked),
      ownerInWords(asked.call, document),
      getProtection(context, document),
    ]);
    const leavesProtection = protection.isInherited;
    const choices = owners.filter(({ namespace }) => namespace !== document.ownerNamespace);
    const form = { owner: choices[0]?.namespace ?? '', name: document.name, isPrivate: false };
    return { document, leavesProtection, from, choices, form, faults: {}, ...sent };
  }

  async function move(
    asked: AppRequest,
    ref: DocumentRef,
    document: DocumentRow,
  ): Promise<FastifyReply> {
    const { call, request } = asked;
    const { owner, ...sent } = readForm(request.body, ['owner', 'name', 'private']);
    const isPrivate = sent.private !== '';
    // The Undo form sends no name. The document then keeps its name.
    const name = sent.name === '' ? document.name : sent.name;
    const wanted = { owner, name, ...(isPrivate && { visibility: 'private' as const }) };
    try {
      const moved = await moveDocument(call, ref, wanted, undefined);
      const canMoveBack =
        moved.document.visibility === document.visibility &&
        (await takeable(context.sql.read, [moved.document])).size > 0 &&
        (await ownersFor(asked)).some(({ namespace }) => namespace === document.ownerNamespace);
      return parts.goOn(asked, documentPath('read', moved.document), {
        message: `Moved to ${moved.document.ownerNamespace}/${moved.document.name}.`,
        ...(canMoveBack && {
          undo: {
            action: documentPath('move', moved.document),
            fields: { owner: document.ownerNamespace, name: document.name },
          },
        }),
      });
    } catch (error) {
      if (!isForForm(error)) throw error;
      const form = { owner, name, isPrivate };
      const page = await pageOf(asked, document, { form, faults: faultsOf(error) });
      return parts.show(asked, movePage(page), error.status);
    }
  }

  addDocumentRoutes(parts, 'move', {
    get: async (asked, ref) => {
      const { document } = await requireDocument(context.sql.read, asked.call.actor, ref, 'move');
      return parts.show(asked, movePage(await pageOf(asked, document)));
    },
    post: async (asked, ref) => {
      const { read } = context.sql;
      const { document } = await requireDocument(read, asked.call.actor, ref, 'move');
      // A stolen session must not take it to where the organization's rules don't hold.
      const { isInherited } = await getProtection(context, document);
      return isInherited || (await restrictsSharing(read, document.ownerId))
        ? parts.proven((proven) => move(proven, ref, document))(asked)
        : move(asked, ref, document);
    },
  });
}

/**
 * Tells whether the form can show the error. FORBIDDEN means that the organization is protected, or
 * that access was revoked.
 */
function isForForm(error: unknown): error is ServiceError {
  return isCorrectable(error) || (error instanceof ServiceError && error.code === 'FORBIDDEN');
}
