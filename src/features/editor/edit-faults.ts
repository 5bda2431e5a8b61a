import type { ServiceError } from '../../base/errors.ts';
import { KINDS, type Kind } from '../../base/schema/kind.ts';
import { NameTaken } from '../../core/document/name-taken.ts';
import { type AppRequest, wantsJson } from '../../surfaces/web/app-parts.ts';
import { type Faults, faultsOf, isCorrectable, isRefusal } from '../../surfaces/web/form.ts';
import type { EditForm } from './edit-form.ts';

/**
 * Returns the errors that the user can fix in the form. Throws other errors; for scripts, throws
 * all.
 */
export function correctable(
  error: unknown,
  { request }: AppRequest,
  kind: Kind,
): { fault: ServiceError; faults: Faults } {
  if (!isRefusal(error) || wantsJson(request)) throw error;
  const isOfForm = error.code === 'CONTENT_TOO_LARGE' || isCorrectable(error);
  if (!isOfForm) throw error;
  return { fault: error, faults: editFaultsOf(error, kind) };
}

/** Returns errors by field. The content's field is `content` for both kinds. */
function editFaultsOf(error: ServiceError, kind: Kind): Faults {
  const { [KINDS[kind].contentField]: content, ...faults } = faultsOf(error);
  return content === undefined ? faults : { ...faults, content };
}

/** Returns the form with a free name in place of a taken one, ready to submit again. */
export function withFreeName(form: EditForm, error: unknown): EditForm {
  return error instanceof NameTaken && error.freeName !== undefined
    ? { ...form, name: error.freeName }
    : form;
}
