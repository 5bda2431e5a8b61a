import { DiskFull } from '../../base/errors.ts';
import type { FormerAddress } from '../../base/text/former-address.ts';
import type { Context } from '../context.ts';

/** The most former addresses to recognize, the last used ones. */
const MOST = 50;

/**
 * Stores the addresses that the service has. @returns those that it had before, also in the
 * installation that a backup was made of, the longest first
 */
export async function rememberAddresses({
  sql,
  now,
  ...places
}: Pick<Context, 'sql' | 'now' | 'webUrl' | 'baseUrl' | 'renderUrl'>): Promise<FormerAddress[]> {
  const present = { web: places.webUrl, api: places.baseUrl, render: places.renderUrl } as const;
  const own: string[] = Object.values(present);
  const remember = sql.transaction(async (tx) => {
    for (const [place, url] of Object.entries(present) as [keyof typeof present, string][]) {
      await tx
        .insertInto('own_address')
        .values({ url, place, lastUsedAt: now() })
        .onConflict((on) => on.columns(['url', 'place']).doUpdateSet({ lastUsedAt: now() }))
        .execute();
    }
  });
  // On a full disk, the service starts to be read. The next start remembers them.
  await remember.catch((error) => {
    if (!(error instanceof DiskFull)) throw error;
  });
  const former = await sql.read
    .selectFrom('own_address')
    .where('url', 'not in', own)
    .select(['url', 'place'])
    .orderBy('lastUsedAt', 'desc')
    .limit(MOST)
    .execute();
  return former
    .map(({ url, place }) => ({ from: url, to: present[place] }))
    .sort((one, other) => other.from.length - one.from.length);
}
