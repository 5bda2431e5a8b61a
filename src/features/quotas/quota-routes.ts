import { FieldError, InvalidFields } from '../../base/errors.ts';
import { OWN_LIMITS } from '../../core/quota/quota.ts';
import type { Exceptions } from '../../core/quota/quota-store.ts';
import { managedOwnerPath, QUOTAS_PATH } from '../../surfaces/web/addresses.ts';
import type { AppParts } from '../../surfaces/web/app-parts.ts';
import { forAdministrators } from '../../surfaces/web/for-administrators.ts';
import { faultsOf, isCorrectable, readForm } from '../../surfaces/web/form.ts';
import { settingsPath } from '../../surfaces/web/pages/settings-page.tsx';
import { readAmount, writeAmount } from './amount.ts';
import { getOwnerQuotas, setExceptions } from './quota-admin-service.ts';
import { type LimitsForm, ownLimitsPage, storagePage } from './quota-pages.tsx';
import { ownUsage } from './usage-service.ts';

interface OwnerRoute {
  Params: { owner: string };
}

/** Adds the user's storage, and the limits of one owner for administrators of the instance. */
export function addQuotaRoutes(parts: AppParts): void {
  const { context, get, goOn, show } = parts;
  const administrators = forAdministrators(parts);

  get(settingsPath('storage'), async (asked) =>
    show(asked, storagePage(await ownUsage(asked.call))),
  );

  administrators.get<OwnerRoute>(`${QUOTAS_PATH}/:owner`, async (asked) => {
    const asking = asked.request.params.owner;
    const { owner, exceptions } = await getOwnerQuotas(context, asked.call.actor, asking);
    const form = {
      documents: writeAmount('documents', exceptions.documents),
      bytes: writeAmount('bytes', exceptions.bytes),
    };
    return show(asked, ownLimitsPage({ owner, defaults: context.quotas, form, faults: {} }));
  });

  administrators.post<OwnerRoute>(`${QUOTAS_PATH}/:owner`, async (asked) => {
    const asking = asked.request.params.owner;
    const { owner } = await getOwnerQuotas(context, asked.call.actor, asking);
    const form = readForm(asked.request.body, OWN_LIMITS);
    try {
      await setExceptions(context, asked.call.actor, owner.namespace, readExceptions(form));
    } catch (error) {
      if (!isCorrectable(error)) throw error;
      const page = { owner, defaults: context.quotas, form, faults: faultsOf(error) };
      return show(asked, ownLimitsPage(page), 422);
    }
    return goOn(asked, managedOwnerPath(owner), { message: `Limits of ${owner.namespace} set.` });
  });
}

/** @throws InvalidFields */
function readExceptions(form: LimitsForm): Exceptions {
  const exceptions: Exceptions = {};
  const errors: FieldError[] = [];
  for (const limit of OWN_LIMITS) {
    const text = form[limit].trim();
    if (text === '') continue;
    const read = readAmount(limit, text);
    if ('problem' in read) errors.push(new FieldError('UNPROCESSABLE', limit, `${read.problem}.`));
    else exceptions[limit] = read.amount;
  }
  if (errors.length > 0) throw new InvalidFields(errors);
  return exceptions;
}
