import type { JSX } from 'preact';
import { LINK_SEGMENT } from '../../../core/document/link.ts';
import { type Addressed, documentPath } from '../addresses.ts';

/**
 * Marks a page that shows a document, so that the script (`features/live/client/live.ts`) keeps it up to date. It
 * becomes the bar that says what has changed.
 *
 * @param props.version of the shown text
 * @param props.position of the feed before the page was made; the page then hears of what came since
 * @param props.typed what it shows of what is being typed, beyond that version
 * @param props.secret of the link that the page was opened with
 */
export function LiveMarker(props: {
  document: Addressed;
  version: number;
  position?: number;
  typed?: string | undefined;
  secret?: string;
}): JSX.Element {
  const { document, version, position, typed, secret } = props;
  return (
    <div
      class="live-bar"
      id="live"
      role="status"
      data-path={secret === undefined ? documentPath('live', document) : liveLinkPath(secret)}
      data-version={version}
      data-after={position}
      data-typed={typed}
    />
  );
}

/** Returns where a page that was opened with a secret link learns of changes. */
export function liveLinkPath(secret: string): string {
  return `/live/${LINK_SEGMENT}/${encodeURIComponent(secret)}`;
}
