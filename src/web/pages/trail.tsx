import type { JSX } from 'preact';
import { profilePath } from './format.tsx';

/** Renders the owner, linked to the profile, and the document's title, with its address as a tooltip. */
export function Trail(trail: {
  owner: string;
  here: string;
  /** The document's name, if `here` is its title. */
  name?: string;
}): JSX.Element {
  const { owner, here, name } = trail;
  return (
    <>
      <a class="owner" href={profilePath(owner)}>
        {owner}
      </a>
      <span class="divider" aria-hidden="true">
        /
      </span>
      <span class="here" title={name === undefined ? undefined : `${owner}/${name}`}>
        {here}
      </span>
    </>
  );
}
