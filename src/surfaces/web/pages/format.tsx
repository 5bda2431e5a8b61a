import type { JSX } from 'preact';

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** Renders a time as its day, with the exact time as a tooltip and for programs. */
export function Day({ at }: { at: string }): JSX.Element {
  return (
    <time dateTime={at} title={at}>
      {DAY.format(new Date(at))}
    </time>
  );
}

const MOMENT = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'UTC',
});

/** Renders a time to the minute, in UTC. */
export function Moment({ at }: { at: string }): JSX.Element {
  return (
    <time dateTime={at} title={at}>
      {MOMENT.format(new Date(at))} UTC
    </time>
  );
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAYS = 24 * HOUR;

/** Renders how long ago a time was or, after a week, its day. */
export function Ago({ at, now }: { at: string; now: string }): JSX.Element {
  return (
    <time dateTime={at} title={`${MOMENT.format(new Date(at))} UTC`}>
      {timeAgo(at, now)}
    </time>
  );
}

function timeAgo(at: string, now: string): string {
  const passed = Date.parse(now) - Date.parse(at);
  if (passed < MINUTE) return 'just now';
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min ago`;
  if (passed < DAYS) return `${Math.floor(passed / HOUR)} h ago`;
  const days = Math.floor(passed / DAYS);
  if (days < 7) return days === 1 ? 'yesterday' : `${days} days ago`;
  return DAY.format(new Date(at));
}

/** Names the day of a time, in UTC. */
export function formatDay(at: string): string {
  return DAY.format(new Date(at));
}

/** Returns the path of a user's or an organization's profile. */
export function profilePath(owner: string): string {
  return `/${encodeURIComponent(owner)}`;
}

export const REFERENCE_PATH = '/reference';
