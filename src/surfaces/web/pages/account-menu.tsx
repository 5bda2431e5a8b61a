import type { JSX } from 'preact';
import { Icon } from './icons.tsx';
import { MenuLink } from './menu-items.tsx';
import { Avatar } from './person.tsx';

/** Renders the menu of the signed-in user, which says who that is. */
export function AccountMenu({ username }: { username: string }): JSX.Element {
  return (
    <details class="menu account-menu" data-menu>
      <summary class="action" title={`Signed in as ${username}`}>
        <Avatar username={username} />
        <span class="visually-hidden">Signed in as {username}</span>
      </summary>
      <ul class="menu-items">
        <li class="menu-group">{username}</li>
        <MenuLink href={`/${username}`} icon="user" label="Your profile" />
        <MenuLink href="/settings" icon="settings" label="Settings" />
        <li>
          <form method="post" action="/sign-out">
            <button type="submit" class="menu-item">
              <Icon name="log-out" />
              <span>Sign out</span>
            </button>
          </form>
        </li>
      </ul>
    </details>
  );
}
