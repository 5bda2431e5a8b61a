import { FieldError, InvalidFields, ServiceError } from '../../base/errors.ts';
import { LIMITS } from '../../core/quota/quota.ts';
import type { Exceptions } from '../../core/quota/quota-store.ts';
import { QUOTAS_PATH } from '../../surfaces/web/addresses.ts';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import { forAdministrators } from '../../surfaces/web/for-administrators.ts';
import { type Faults, faultsOf, readForm } from '../../surfaces/web/form.ts';
import { settingsPath } from '../../surfaces/web/pages/settings-page.tsx';
import { readAmount, writeAmount } from './amount.ts';
import { getOwnerQuotas, listExceptions, setExceptions } from './quota-admin-service.ts';
import { type QuotaForm, quotasPage, storagePage } from './quota-pages.tsx';
import { ownUsage } from './usage-service.ts';

const FIELDS = ['owner', ...LIMITS] as const;
const EMPTY = Object.fromEntries(FIELDS.map((field) => [field, ''])) as QuotaForm;

/** Adds the user's storage, and the limits of owners for administrators of the instance. */
export function addQuotaRoutes(parts: AppParts): void {
  const { context, get, goOn, show } = parts;
  const administrators = forAdministrators(parts);

  get(settingsPath('storage'), async (asked) =>
    show(asked, storagePage(await ownUsage(context, asked.actor))),
  );

  async function showQuotas(asked: AppRequest, form: QuotaForm, faults: Faults = {}) {
    const excepted = await listExceptions(context, asked.actor);
    const chosen = form.owner === '' ? undefined : await findChosen(asked, form.owner);
    const page = { defaults: context.quotas, excepted, chosen, form, faults };
    return show(asked, quotasPage(page), Object.keys(faults).length > 0 ? 422 : 200);
  }

  /** Returns what an owner has; `undefined` if there is no such owner. */
  async function findChosen({ actor }: AppRequest, owner: string) {
    try {
      return await getOwnerQuotas(context, actor, owner);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    }
  }

  administrators.get<{ Querystring: { owner?: unknown } }>(QUOTAS_PATH, async (asked) => {
    const { owner } = readForm(asked.request.query, ['owner']);
    if (owner === '') return showQuotas(asked, EMPTY);
    const { exceptions, owner: namespace } = await getOwnerQuotas(context, asked.actor, owner);
    return showQuotas(asked, { ...formOf(exceptions), owner: namespace });
  });

  administrators.post(QUOTAS_PATH, async (asked) => {
    const form = readForm(asked.request.body, FIELDS);
    const owner = form.owner.trim();
    try {
      await setExceptions(context, asked.actor, owner, readExceptions(form));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status >= 500) throw error;
      return showQuotas(asked, form, faultsOf(error));
    }
    return goOn(asked, QUOTAS_PATH, { message: `Limits of ${owner.toLowerCase()} set.` });
  });

  administrators.post(`${QUOTAS_PATH}/remove`, async (asked) => {
    const { owner } = readForm(asked.request.body, ['owner']);
    await setExceptions(context, asked.actor, owner, {});
    return goOn(asked, QUOTAS_PATH, { message: `${owner} has the usual limits again.` });
  });
}

/** Writes limits as the form has them. */
function formOf(exceptions: Exceptions): QuotaForm {
  const entries = LIMITS.map((limit) => [limit, writeAmount(limit, exceptions[limit])]);
  return { ...EMPTY, ...Object.fromEntries(entries) };
}

/** @throws InvalidFields */
function readExceptions(form: QuotaForm): Exceptions {
  const exceptions: Exceptions = {};
  const errors: FieldError[] = [];
  for (const limit of LIMITS) {
    const text = form[limit].trim();
    if (text === '') continue;
    const read = readAmount(limit, text);
    if ('problem' in read) errors.push(new FieldError('UNPROCESSABLE', limit, `${read.problem}.`));
    else exceptions[limit] = read.amount;
  }
  if (errors.length > 0) throw new InvalidFields(errors);
  return exceptions;
}
