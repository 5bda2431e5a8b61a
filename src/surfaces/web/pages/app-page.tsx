import type { ComponentChildren, JSX } from 'preact';
import { PALETTE_SHORTCUT } from '../../../base/palette-shortcut.ts';
import type { Flash, FlashForm } from '../flash.ts';
import type { Site } from './assets.ts';
import { Icon } from './icons.tsx';
import { renderLayout } from './layout.tsx';
import { HiddenFields } from './parts.tsx';
import { DisplayNames } from './person.tsx';
import { AccountMenu, type Place, PlacesButton, Rail, type RailContent } from './rail.tsx';

export interface Frame extends RailContent {
  flash: Flash | undefined;
}

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
  stylesheets?: readonly string[];
  scripts?: readonly string[];
  /** Whether it shows a document and is kept up to date (`LiveMarker`). */
  isLive?: boolean;
  /** Whether the content fills the window, without the rail. */
  wholeWindow?: boolean;
  skipTo?: string;
  /** The footer of a document. Replaces the rail. */
  foot?: ComponentChildren;
  /** The display names of the people on the page, by username. */
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
    isLive: page.isLive,
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
        {hasRail(page) && <PlacesButton content={frame} />}
        <AccountMenu content={frame} />
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
  if (hasRail(page)) return { rail: <Rail content={frame} place={page.place} /> };
  return page.wholeWindow ? { framed: true } : { foot: page.foot };
}

function hasRail({ wholeWindow, foot }: AppPage): boolean {
  return !wholeWindow && !foot;
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

function ToastForm({ action, fields, label }: FlashForm & { label: string }): JSX.Element {
  return (
    <form method="post" action={action}>
      <HiddenFields fields={fields} />
      <button type="submit">{label}</button>
    </form>
  );
}

/**
 * Renders the flash message, if there is one. The element is always present, because screen readers
 * announce only changes to existing live regions.
 */
function Toasts({ flash }: Pick<Frame, 'flash'>): JSX.Element {
  const kinds = [flash?.isFault && 'toast-fault', flash?.next && flash.undo && 'toast-two'];
  return (
    <div class="toasts" id="toasts" role="status">
      {flash && (
        <div class={['toast', ...kinds].filter(Boolean).join(' ')}>
          <p>{flash.message}</p>
          {flash.next && <ToastForm {...flash.next} />}
          {flash.undo && <ToastForm {...flash.undo} label="Undo" />}
        </div>
      )}
    </div>
  );
}

/** Renders the elements of the head that let browsers install the app. */
function Installable({ site }: { site: Site }): JSX.Element {
  return (
    <>
      <link rel="manifest" href="/manifest.webmanifest" />
      <link rel="apple-touch-icon" href={site.assets.url('icon-touch.png')} />
      <meta name="theme-color" media="(prefers-color-scheme: light)" content="#fdfcfa" />
      <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#171816" />
    </>
  );
}
