import type { ComponentChildren, JSX } from 'preact';
import { organizationPath, TRASH_PATH } from '../../app/addresses.ts';
import type { Flash } from '../../app/flash.ts';
import { PALETTE_SHORTCUT } from '../../palette-shortcut.ts';
import type { AssetName, Site } from '../assets.ts';
import { Icon, type IconName } from '../icons.tsx';
import { Installable } from '../installable.tsx';
import { renderLayout } from '../layout.tsx';
import { DisplayNames } from '../person.tsx';

export interface Frame {
  username: string;
  /** Sorted by name. */
  organizations: readonly { namespace: string; name: string }[];
  /** The number of pending invitations. */
  invitations: number;
  /** The number of unread inbox entries. */
  unread: number;
  flash: Flash | undefined;
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
  | { organization: string };

/** A page for signed-in users. */
export interface AppPage {
  /** The title of the browser tab. */
  title: string;
  /** The entry of the rail to highlight. */
  place?: Place | undefined;
  /** The location, shown in the bar. */
  trail?: ComponentChildren;
  /** The page's buttons and links in the bar. */
  actions?: ComponentChildren;
  stylesheets?: readonly AssetName[];
  scripts?: readonly AssetName[];
  /** Whether browsers can keep a copy for when there is no network. */
  isKept?: boolean;
  /** Whether the content fills the window, without the rail. */
  wholeWindow?: boolean;
  skipTo?: string;
  /** The footer of a document. Replaces the rail. */
  foot?: ComponentChildren;
  /** The display names of the people on it. */
  names?: ReadonlyMap<string, string>;
  children: ComponentChildren | ((site: Site, frame: Frame) => ComponentChildren);
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** Renders a page of the app: the bar, the rail, the content and a flash message. */
export function renderAppPage(site: Site, frame: Frame, page: AppPage): string {
  return renderLayout({
    site,
    title: page.title,
    description: 'Briefs',
    stylesheets: ['app.css', ...(page.stylesheets ?? [])],
    scripts: ['app.js', ...(page.scripts ?? [])],
    head: (
      <>
        <meta name="robots" content="noindex" />
        <Installable site={site} />
      </>
    ),
    trail: page.trail,
    actions: page.actions,
    accountActions: (
      <>
        <EverywhereActions />
        {hasRail(page) && <PlacesButton frame={frame} />}
      </>
    ),
    ...(page.skipTo !== undefined && { skipTo: page.skipTo }),
    ...surroundings(frame, page),
    children: (
      <>
        <Toasts flash={frame.flash} />
        <DisplayNames.Provider value={page.names ?? NO_NAMES}>
          {typeof page.children === 'function' ? page.children(site, frame) : page.children}
        </DisplayNames.Provider>
      </>
    ),
  });
}

/** Returns what surrounds the content: nothing, a footer or the rail. */
function surroundings(frame: Frame, page: AppPage) {
  if (hasRail(page)) return { rail: <Rail frame={frame} place={page.place} /> };
  return page.wholeWindow ? { framed: true } : { foot: page.foot };
}

function hasRail({ wholeWindow, foot }: AppPage): boolean {
  return !wholeWindow && !foot;
}

/** Opens the rail on windows too narrow for it. */
function PlacesButton({ frame }: { frame: Frame }): JSX.Element {
  return (
    <button type="button" class="action places-button" popovertarget="places" title="Menu">
      <Icon name="menu" />
      <span class="label">Menu</span>
      <Waiting count={frame.invitations + frame.unread} />
    </button>
  );
}

function EverywhereActions(): JSX.Element {
  return (
    <>
      <a
        class="action everywhere"
        href="/search"
        title={`Search (${PALETTE_SHORTCUT})`}
        data-opens="palette"
      >
        <Icon name="search" />
        <span class="label">Search</span>
      </a>
      <a class="action everywhere" href="/new" title="New brief" data-shortcut="c">
        <Icon name="plus" />
        <span class="label">New brief</span>
      </a>
    </>
  );
}

function Rail({ frame, place }: { frame: Frame; place: Place | undefined }): JSX.Element {
  const { username, organizations, invitations, unread } = frame;
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
        <RailLink
          href="/settings"
          icon="settings"
          label="Settings"
          title={`Signed in as ${username}`}
          isHere={place === 'settings'}
        />
        <li>
          <form method="post" action="/sign-out">
            <button type="submit" class="rail-link">
              <Icon name="log-out" />
              <span>Sign out</span>
            </button>
          </form>
        </li>
      </ul>
    </nav>
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

/** Always present, because screen readers announce only changes to existing live regions. */
function Toasts({ flash }: Pick<Frame, 'flash'>): JSX.Element {
  return (
    <div class="toasts" id="toasts" role="status">
      {flash && (
        <div class={flash.isFault ? 'toast toast-fault' : 'toast'}>
          <p>{flash.message}</p>
          {flash.undo && (
            <form method="post" action={flash.undo.action}>
              {Object.entries(flash.undo.fields).map(([name, value]) => (
                <input type="hidden" name={name} value={value} />
              ))}
              <button type="submit">Undo</button>
            </form>
          )}
        </div>
      )}
    </div>
  );
}
