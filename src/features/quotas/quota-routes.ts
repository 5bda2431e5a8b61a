import { FieldError, InvalidFields, ServiceError } from '../../base/errors.ts';
import { isAdmin } from '../../core/identity/admin.ts';
import { LIMITS } from '../../core/quota/quota.ts';
import type { Exceptions } from '../../core/quota/quota-store.ts';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import { type Faults, faultsOf, readForm } from '../../surfaces/web/form.ts';
import { settingsPath } from '../../surfaces/web/pages/settings-page.tsx';
import { readAmount } from './amount.ts';
import { listExceptions, setExceptions } from './quota-admin-service.ts';
import { QUOTAS_PATH, type QuotaForm, quotasPage, storagePage } from './quota-pages.tsx';
import { ownUsage } from './usage-service.ts';

const FIELDS = ['owner', ...LIMITS] as const;
const EMPTY = Object.fromEntries(FIELDS.map((field) => [field, ''])) as QuotaForm;

/** Adds the user's storage, and the limits of owners for administrators of the instance. */
export function addQuotaRoutes(parts: AppParts): void {
  const { context, get, post, goOn, show } = parts;

  get(settingsPath('storage'), async (asked) =>
    show(asked, storagePage(await ownUsage(context, asked.actor))),
  );

  async function showQuotas(asked: AppRequest, form = EMPTY, faults: Faults = {}) {
    const excepted = await listExceptions(context, asked.actor);
    const page = quotasPage({ defaults: context.quotas, excepted, form, faults });
    return show(asked, page, Object.keys(faults).length > 0 ? 422 : 200);
  }

  get(QUOTAS_PATH, async (asked) => {
    await requireAdminHere(asked);
    return showQuotas(asked);
  });

  post(QUOTAS_PATH, async (asked) => {
    await requireAdminHere(asked);
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

  post(`${QUOTAS_PATH}/remove`, async (asked) => {
    await requireAdminHere(asked);
    const { owner } = readForm(asked.request.body, ['owner']);
    await setExceptions(context, asked.actor, owner, {});
    return goOn(asked, QUOTAS_PATH, { message: `${owner} has the usual limits again.` });
  });

  /** Hides the page from everyone else. @throws NOT_FOUND */
  async function requireAdminHere({ actor }: AppRequest): Promise<void> {
    if (await isAdmin(context.sql.read, actor.id)) return;
    throw new ServiceError('NOT_FOUND', 'There is no such page.');
  }
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
