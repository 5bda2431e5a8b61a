const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long things last, in milliseconds. */
export const LIFETIMES = {
  /** From the application's request to the person's decision. */
  interaction: HOUR,
  /** From the decision on the web host until the API's host takes it. */
  decision: MINUTE,
  code: MINUTE,
  access: HOUR,
  /** A refresh token that nobody uses; each use gives a new one. */
  refresh: 30 * DAY,
  /** From consent until it is asked for again, however often tokens were refreshed. */
  grant: 90 * DAY,
  /**
   * A refresh token that was used may be used again for so long: clients refresh in parallel, and
   * answers get lost on the way.
   */
  refreshGrace: 45 * SECOND,
  /** A registered client that nobody has let in, and one that nobody lets in any more. */
  unusedClient: 7 * DAY,
  formerClient: 90 * DAY,
  /** A grant on which nothing is left that works. */
  spentGrant: HOUR,
} as const;
