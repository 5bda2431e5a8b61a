const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Lifetimes in milliseconds. */
export const LIFETIMES = {
  /** From the application's request to the user's decision. */
  interaction: HOUR,
  /** From the decision on the web host until the API's host applies it. */
  decision: MINUTE,
  code: MINUTE,
  /** From a device's request until it has its tokens; then how long it can learn that it's too late. */
  device: 15 * MINUTE,
  expiredDevice: 15 * MINUTE,
  access: HOUR,
  /** An unused refresh token. Each use returns a new one. */
  refresh: 30 * DAY,
  /** From consent until the user has to consent again, even if tokens are refreshed. */
  grant: 90 * DAY,
  /**
   * How long a used refresh token works again, because clients refresh in parallel and responses
   * get lost.
   */
  refreshGrace: 45 * SECOND,
  /** A registered client that was never authorized, and one that no longer is. */
  unusedClient: 7 * DAY,
  formerClient: 90 * DAY,
  /** A grant without valid tokens. */
  spentGrant: HOUR,
} as const;
