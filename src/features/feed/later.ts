/** Until when an entry of the inbox can be put off with one click. */
export const LATER_CHOICES = ['tomorrow', 'monday'] as const;
export type LaterChoice = (typeof LATER_CHOICES)[number];

/** The hour of the morning at which entries come back. */
const MORNING = 8;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const WEEK_DAYS = 7;
const MONDAY = 1;

/** No place on Earth is further from UTC, in minutes. */
const MOST_OFFSET = 14 * 60;

/**
 * Returns the next morning of a choice.
 *
 * @param now ISO 8601
 * @param offset by how many minutes UTC is ahead of the reader's clock, as browsers say it
 */
export function laterUntil(choice: LaterChoice, now: string, offset: number): string {
  const shift = Math.max(-MOST_OFFSET, Math.min(MOST_OFFSET, Math.round(offset))) * MINUTE;
  const local = new Date(Date.parse(now) - shift);
  const days =
    choice === 'tomorrow' ? 1 : (MONDAY + WEEK_DAYS - local.getUTCDay()) % WEEK_DAYS || WEEK_DAYS;
  local.setUTCHours(MORNING, 0, 0, 0);
  return new Date(local.getTime() + days * DAY + shift).toISOString();
}
