import { DAY_MS } from '../../base/time/clock.ts';
import type { Call, Context } from '../../core/context.ts';
import { workingNow } from '../../core/identity/token-service.ts';
import { countWorkingTokens } from '../../core/identity/token-store.ts';
import { requireAllowed } from '../../core/owner/organization-service.ts';
import { LIMITS, type Limit } from '../../core/quota/quota.ts';
import { quotasOf } from '../../core/quota/quota-service.ts';
import { countCreatedOrganizations, countWebhooks } from '../../core/quota/quota-store.ts';
import { findUsage } from '../../core/quota/usage-store.ts';

/** What is used of a limit, and the most; `null` for no limit. */
export interface Used {
  used: number;
  allowed: number | null;
}

/** What an owner has. Organizations have no tokens, and create no organizations. */
export type Usage = Record<Limit, Used> & {
  /** The part of the bytes that is files. */
  fileBytes: number;
};

/** From this share on, an owner is warned. */
const NEARLY = 0.9;

/** Returns what the actor has. */
export async function ownUsage(call: Call): Promise<Usage> {
  return usageOf(call, call.actor.id);
}

/** Returns what an organization has. @throws NOT_FOUND; FORBIDDEN unless the actor is a member */
export async function organizationUsage(call: Call, org: string): Promise<Usage> {
  const { id } = await requireAllowed(call.sql.read, call.actor, 'seeMembers', org);
  return usageOf(call, id);
}

/** Returns what any owner has. The caller has checked that it may be shown. */
export async function usageOf(context: Context, ownerId: string): Promise<Usage> {
  const { read } = context.sql;
  const now = context.now();
  const [usage, tokens, webhooks, organizations, quotas] = await Promise.all([
    findUsage(read, ownerId),
    countWorkingTokens(read, ownerId, workingNow(context)),
    countWebhooks(read, ownerId),
    countCreatedOrganizations(read, ownerId),
    quotasOf(context, read, ownerId),
  ]);
  const isToday = usage && usage.dayStart > new Date(Date.parse(now) - DAY_MS).toISOString();
  const used: Record<Limit, number> = {
    documents: usage?.documents ?? 0,
    bytes: usage?.bytes ?? 0,
    tokens,
    webhooks,
    documentsPerDay: isToday ? usage.dayDocuments : 0,
    organizations,
  };
  const entries = LIMITS.map((limit) => [limit, { used: used[limit], allowed: quotas[limit] }]);
  return { ...Object.fromEntries(entries), fileBytes: usage?.fileBytes ?? 0 };
}

/** Tells whether 90 % of a limit is used, or more. */
export function isNearlyFull({ used, allowed }: Used): boolean {
  return allowed !== null && used >= allowed * NEARLY;
}
