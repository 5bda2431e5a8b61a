import { createContext, type JSX } from 'preact';
import { useContext } from 'preact/hooks';
import { picturePath } from '../../../base/schema/profile.ts';

/** The display names of the people on a page, by username. Those without one have no entry. */
export const DisplayNames = createContext<ReadonlyMap<string, string>>(new Map());

/** Shows a user's picture. Without an alternative text, because the name is beside it. */
export function Avatar({ username }: { username: string }): JSX.Element {
  return (
    <img
      class="avatar"
      src={picturePath(username)}
      alt=""
      width="32"
      height="32"
      loading="lazy"
      decoding="async"
    />
  );
}

/**
 * Shows a display name, if there is one, and always the username. Anyone can choose any display
 * name, so only the username identifies a person.
 */
export function PersonName({ username }: { username: string }): JSX.Element {
  const displayName = useContext(DisplayNames).get(username);
  if (displayName === undefined) return <>{username}</>;
  return (
    <>
      <bdi>{displayName}</bdi> <span class="username">{username}</span>
    </>
  );
}
