import type { JSX } from 'preact';
import { profilePath } from './format.tsx';

/** Where one is: the owner, leading to the profile, and the document. */
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
