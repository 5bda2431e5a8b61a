import { VIA_WEB } from '../src/base/schema/means.ts';
import { readConfig } from '../src/core/config/read-config.ts';
import type { Actor, Context } from '../src/core/context.ts';
import { requireAccount } from '../src/core/identity/account-service.ts';
import { closeContext, openContext } from '../src/open-context.ts';
import { generate } from './generate.ts';
import { FROM, type Plan, UNTIL } from './generate-rows.ts';
import type { Installation } from './installation.ts';
import { type Amount, measureStart } from './resources.ts';
import { OWNER } from './scene.ts';
import { type Service, startService } from './service.ts';

/** A running service with its database, which is opened again to call service functions. */
export interface Site {
  service: Service;
  context: Context;
  /** The client's user. */
  actor: Actor;
  token: string;
  /** Briefs to read, spread over the database. */
  own: string[];
  public: { owner: string; name: string }[];
  /** The time to start and the memory at rest. */
  amounts: Amount[];
  /** Clears the database's caches. */
  commitSomething(): Promise<void>;
  close(): Promise<void>;
}

/** The number of briefs of each sort to read. */
const SAMPLES = 200;

export async function openSite(
  { settings }: Installation,
  plan: Plan,
  { starts, restMs }: { starts: number; restMs: number },
): Promise<Site> {
  const { token } = await generate(settings, plan);
  const amounts = await measureStart('them', settings, starts, restMs);
  const service = await startService(settings);
  const context = await openContext(readConfig(settings));
  const ids = sampleIds();
  const { id, username } = await requireAccount(context.sql.read, OWNER);
  return {
    service,
    context,
    token,
    amounts,
    actor: { id, username, scopes: [], via: VIA_WEB },
    own: await sampleOwn(context, id, ids),
    public: await samplePublic(context, ids),
    commitSomething: () =>
      context.sql.transaction(async (tx) => {
        const account = tx.updateTable('account').where('id', '=', id);
        await account.set((row) => ({ createdAt: row.ref('createdAt') })).execute();
      }),
    async close() {
      await closeContext(context);
      await service.stop();
    },
  };
}

/**
 * Returns ada's latest briefs and those that followed some moments spread over the time. In a small
 * database they are the same.
 */
async function sampleOwn(context: Context, ownerId: string, ids: readonly string[]) {
  const names = new Set<string>();
  for (const id of ids) {
    const row = await context.sql.read
      .selectFrom('document')
      .where('ownerId', '=', ownerId)
      .where('kind', '=', 'brief')
      .where('visibility', '=', 'private')
      .where('id', '>=', id)
      .select('name')
      .orderBy('id')
      .executeTakeFirst();
    if (row) names.add(row.name);
  }
  return [...names];
}

async function samplePublic({ sql: { read } }: Context, ids: readonly string[]) {
  const found: Site['public'] = [];
  for (const id of ids) {
    // Query each owner separately and filter by visibility afterwards: by id alone, it is an index
    // seek.
    const rows = await read
      .selectFrom('document')
      .where('id', '>=', id)
      .select(['ownerId', 'name', 'visibility'])
      .orderBy('id')
      .limit(20)
      .execute();
    const row = rows.find(({ visibility }) => visibility === 'public');
    if (!row) continue;
    const { namespace: owner } = await read
      .selectFrom('owner')
      .where('id', '=', row.ownerId)
      .select('namespace')
      .executeTakeFirstOrThrow();
    found.push({ owner, name: row.name });
  }
  return found;
}

/** Returns ids spread evenly over time. */
function sampleIds(): string[] {
  return Array.from({ length: SAMPLES }, (_, index) => {
    const time = Math.floor(FROM + ((UNTIL - FROM) * index) / SAMPLES);
    const digits = time.toString(16).padStart(12, '0');
    return `${digits.slice(0, 8)}-${digits.slice(8)}`;
  });
}
