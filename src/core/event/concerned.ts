/** Why an event is in someone's inbox. */
export const REASONS = ['mention', 'review', 'watching', 'own'] as const;
export type Reason = (typeof REASONS)[number];

/** Which events of a document someone wants in the inbox. */
export const WATCH_LEVELS = ['all', 'mentions', 'none'] as const;
export type WatchLevel = (typeof WATCH_LEVELS)[number];

/** The people of an event: who caused it, alone or with others, whom it was done to, and whom it mentions. */
export interface EventPeople {
  accountIds: readonly string[];
  targetId: string | null;
  /** The ids of the accounts that a comment mentions. */
  mentions: readonly string[];
}

/**
 * Returns whom an event concerns, and why. Includes the authors, because an author's agents or
 * other devices may wait for the event.
 *
 * @param watchers account ids of everyone who watches the document, with their levels
 */
export function concernedBy(
  { accountIds, targetId, mentions }: EventPeople,
  watchers: ReadonlyMap<string, WatchLevel>,
): Map<string, Reason> {
  const concerned = new Map<string, Reason>();
  for (const [watcher, level] of watchers) if (level === 'all') concerned.set(watcher, 'watching');
  if (targetId !== null) concerned.set(targetId, 'review');
  for (const mentioned of mentions) concerned.set(mentioned, 'mention');
  for (const author of accountIds) concerned.set(author, 'own');
  for (const [watcher, level] of watchers) if (level === 'none') concerned.delete(watcher);
  return concerned;
}
