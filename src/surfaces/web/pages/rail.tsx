import type { JSX } from 'preact';
import { organizationPath, TRASH_PATH } from '../addresses.ts';
import { Icon, type IconName } from './icons.tsx';
import { MenuLink } from './menu-items.tsx';
import { Avatar } from './person.tsx';

export interface RailContent {
  username: string;
  /** Sorted by name. */
  organizations: readonly { namespace: string; name: string }[];
  /** The number of pending invitations. */
  invitations: number;
  /** The number of unread inbox entries. */
  unread: number;
  /** The number of open reports; `null` for users who don't administer the instance. */
  reports: number | null;
}

/** An entry of the rail. Organizations are identified by their namespaces. */
export type Place =
  | 'home'
  | 'shared'
  | 'drafts'
  | 'inbox'
  | 'invitations'
  | 'organizations'
  | 'connect'
  | 'trash'
  | 'settings'
  | 'administration'
  | { organization: string };

/** Renders the button that opens the rail on windows too narrow for it. */
export function PlacesButton({ content }: { content: RailContent }): JSX.Element {
  return (
    <button type="button" class="action places-button" popovertarget="places" title="Menu">
      <Icon name="menu" />
      <span class="label">Menu</span>
      <Waiting count={content.invitations + content.unread + (content.reports ?? 0)} />
    </button>
  );
}

/** Renders the app's navigation beside the content. */
export function Rail(props: { content: RailContent; place: Place | undefined }): JSX.Element {
  const { content, place } = props;
  const { username, organizations, invitations, unread, reports } = content;
  return (
    <nav class="rail" id="places" aria-label="Main" popover="auto">
      <ul>
        <RailLink href="/" icon="house" label="Home" isHere={place === 'home'} />
        <RailLink href="/shared" icon="users" label="Shared with me" isHere={place === 'shared'} />
        <RailLink href="/drafts" icon="pencil" label="Drafts" isHere={place === 'drafts'} />
        <RailLink
          href="/inbox"
          icon="inbox"
          label="Inbox"
          isHere={place === 'inbox'}
          count={unread}
          counts="unread"
        />
        <RailLink
          href="/invitations"
          icon="mail"
          label="Invitations"
          isHere={place === 'invitations'}
          count={invitations}
        />
      </ul>
      <p class="rail-title" id="rail-organizations">
        <a href="/organizations" aria-current={place === 'organizations' ? 'page' : undefined}>
          Organizations
        </a>
        <a class="rail-add" href="/organizations/new" title="New organization">
          <Icon name="plus" />
          <span class="visually-hidden">New organization</span>
        </a>
      </p>
      <ul aria-labelledby="rail-organizations">
        {organizations.map(({ namespace, name }) => (
          <RailLink
            href={organizationPath(namespace)}
            icon="building-2"
            label={name}
            isHere={typeof place === 'object' && place.organization === namespace}
          />
        ))}
      </ul>
      <ul class="rail-end">
        <RailLink
          href="/connect"
          icon="bot"
          label="Connect an agent"
          isHere={place === 'connect'}
        />
        <RailLink href={TRASH_PATH} icon="trash-2" label="Trash" isHere={place === 'trash'} />
        {reports !== null && (
          <RailLink
            href={reports > 0 ? '/admin/reports' : '/admin/people'}
            icon="shield"
            label="Administration"
            isHere={place === 'administration'}
            count={reports}
            counts={reports === 1 ? 'open report' : 'open reports'}
          />
        )}
        <RailLink
          href="/settings"
          icon="settings"
          label="Settings"
          title={`Signed in as ${username}`}
          isHere={place === 'settings'}
        />
        <li>
          <SignOut class="rail-link" />
        </li>
      </ul>
    </nav>
  );
}

/** Renders the menu of the signed-in user, which says who that is. */
export function AccountMenu({
  content: { username, reports },
}: {
  content: Pick<RailContent, 'username' | 'reports'>;
}): JSX.Element {
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
        {reports !== null && <MenuLink href="/admin" icon="shield" label="Administration" />}
        <li>
          <SignOut class="menu-item" />
        </li>
      </ul>
    </details>
  );
}

function SignOut(props: { class: string }): JSX.Element {
  return (
    <form method="post" action="/sign-out">
      <button type="submit" class={props.class}>
        <Icon name="log-out" />
        <span>Sign out</span>
      </button>
    </form>
  );
}

function RailLink(link: {
  href: string;
  icon: IconName;
  label: string;
  title?: string;
  isHere: boolean;
  count?: number;
  /** The noun for what is counted. */
  counts?: string;
}): JSX.Element {
  return (
    <li>
      <a
        class="rail-link"
        href={link.href}
        title={link.title}
        aria-current={link.isHere ? 'page' : undefined}
      >
        <Icon name={link.icon} />
        <span>{link.label}</span>
        <Waiting count={link.count ?? 0} counts={link.counts} />
      </a>
    </li>
  );
}

/** Shows a count, if it isn't zero. */
function Waiting({ count, counts = 'waiting' }: { count: number; counts?: string | undefined }) {
  if (count === 0) return null;
  return (
    <span class="count">
      {count > 99 ? '99+' : count}
      <span class="visually-hidden"> {counts}</span>
    </span>
  );
}
