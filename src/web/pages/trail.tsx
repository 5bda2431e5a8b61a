import type { JSX } from 'preact';
import { profilePath } from './format.tsx';

/** Renders the owner, linked to the profile, and the document's name. */
export function Trail({ owner, here }: { owner: string; here: string }): JSX.Element {
  return (
    <>
      <a class="owner" href={profilePath(owner)}>
        {owner}
      </a>
      <span class="divider" aria-hidden="true">
        /
      </span>
      <span class="here">{here}</span>
    </>
  );
}
