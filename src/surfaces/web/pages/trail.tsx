import type { JSX } from 'preact';
import { shownTitle } from '../../../core/document/shown-title.ts';
import { profilePath } from './format.tsx';

/** Renders the owner, linked to the profile, and the document's title. Its tooltip is the address. */
export function Trail(document: {
  owner: string;
  name: string;
  title: string | null;
}): JSX.Element {
  const { owner, name } = document;
  return (
    <>
      <a class="owner" href={profilePath(owner)}>
        {owner}
      </a>
      <span class="divider" aria-hidden="true">
        /
      </span>
      <span class="here" title={`${owner}/${name}`} dir="auto">
        {shownTitle(document)}
      </span>
    </>
  );
}
