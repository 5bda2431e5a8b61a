import type { JSX } from 'preact';

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** A moment as its day, with the exact time for programs and on hovering. */
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

/** A moment to the minute, in UTC. */
export function Moment({ at }: { at: string }): JSX.Element {
  return (
    <time dateTime={at} title={at}>
      {MOMENT.format(new Date(at))} UTC
    </time>
  );
}

/** `812 bytes`, `12 KB`, `1.4 MB`, in units of 1,024. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / (1024 * 1024)).toFixed(1)} MB`;
}

/** The address of a user's or an organization's public documents on this host. */
export function profilePath(owner: string): string {
  return `/${encodeURIComponent(owner)}`;
}

/** Where the web host shows the API reference. */
export const REFERENCE_PATH = '/reference';
