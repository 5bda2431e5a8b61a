import type { ComponentChildren, JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Face } from '../../../core/config/config.ts';
import type { Logo } from '../../../core/config/logo.ts';
import { signInPath } from '../next-path.ts';
import type { Site } from './assets.ts';
import { REFERENCE_PATH } from './format.tsx';
import { Icon, type IconName, Mark } from './icons.tsx';
import { PeoplePlace } from './people.tsx';

/** The visitor of an app page. */
export type Viewer = { username: string } | 'signed out';

interface Layout {
  site: Site;
  /** Absent where nobody asked who it is, such as on errors. */
  viewer?: Viewer | undefined;
  /** Where signing in leads, if the visitor is signed out; Home by default. */
  signInTo?: string;
  /** The title of the browser tab, without the product's name. */
  title: string;
  description: string;
  stylesheets: readonly string[];
  /** Script modules in addition to those of every page. */
  scripts?: readonly string[] | undefined;
  /** Whether it shows a document and is kept up to date (`LiveMarker`). */
  isLive?: boolean | undefined;
  /** More elements for the head. */
  head?: ComponentChildren;
  /** Shown in the bar between the logo and the theme switch. */
  trail?: ComponentChildren;
  actions?: ComponentChildren;
  /** The text of the skip link. */
  skipTo?: string;
  foot?: ComponentChildren;
  /** The app's navigation beside the content. Replaces the footer. */
  rail?: ComponentChildren;
  /** Replaces the links to the visitor's account. */
  accountActions?: ComponentChildren;
  /** Whether the content fills the window, without a footer. */
  framed?: boolean | undefined;
  children: ComponentChildren;
}

/**
 * Renders a whole HTML document: head, skip link, bar, `main`, footer. It works without scripts and
 * has no inline script or style, because the content security policy forbids both.
 */
export function renderLayout(layout: Layout): string {
  return `<!doctype html>${renderToString(<Document {...layout} />)}`;
}

function Document({ site, ...layout }: Layout): JSX.Element {
  const { url } = site.assets;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${layout.title} — ${site.face.name}`}</title>
        <meta name="description" content={layout.description} />
        <script src={url('theme.js')} />
        <link
          rel="preload"
          href={url('literata-latin-normal.400-700.basic.woff2')}
          as="font"
          type="font/woff2"
          crossOrigin="anonymous"
        />
        {layout.stylesheets.map((name) => (
          <link rel="stylesheet" href={url(name)} />
        ))}
        {site.face.accent && <link rel="stylesheet" href={accentPath(site.face.accent)} />}
        {site.face.logo ? (
          <link rel="icon" href={logoPath(site.face.logo)} type={site.face.logo.type} />
        ) : (
          <link rel="icon" href={url('favicon.svg')} type="image/svg+xml" />
        )}
        {layout.head}
        {layout.isLive && <script type="module" src={url('live.js')} />}
        <script type="module" src={url('page.js')} />
        {layout.scripts?.map((name) => (
          <script type="module" src={url(name)} />
        ))}
      </head>
      <body class={layout.framed ? 'framed' : layout.rail ? 'railed' : undefined}>
        <a class="skip-link" href="#main">
          {layout.skipTo ?? 'Skip to the content'}
        </a>
        <Bar face={site.face} {...layout} />
        {layout.rail}
        <main id="main" tabIndex={-1}>
          {layout.children}
        </main>
        {!layout.framed && !layout.rail && <Foot site={site}>{layout.foot}</Foot>}
      </body>
    </html>
  );
}

/** @param color `#rrggbb` */
const accentPath = (color: string) => `/site/accent.css?${color.slice(1)}`;
const logoPath = ({ version }: Logo) => `/site/logo?${version}`;

function Bar({
  face,
  trail,
  actions,
  viewer,
  signInTo = '/',
  isLive,
  accountActions = <AccountActions viewer={viewer} signInTo={signInTo} />,
}: Pick<Layout, 'trail' | 'actions' | 'viewer' | 'signInTo' | 'isLive' | 'accountActions'> & {
  face: Face;
}) {
  return (
    <header class="bar">
      <a class="mark" href="/">
        {face.logo ? <img class="logo" src={logoPath(face.logo)} alt="" /> : <Mark />}
        <span class="word">{face.name}</span>
      </a>
      <div class="trail">{trail}</div>
      <div class="actions">
        {isLive && <PeoplePlace />}
        {actions && <div class="own-actions">{actions}</div>}
        {accountActions}
        <button
          type="button"
          class="action theme-switch needs-script"
          data-action="theme"
          aria-label="Switch theme"
        >
          <Icon name="moon" class="theme-light" />
          <Icon name="sun" class="theme-dark" />
          <span class="label">Theme</span>
        </button>
      </div>
    </header>
  );
}

function AccountActions(props: { viewer: Viewer | undefined; signInTo: string }): JSX.Element {
  const { viewer, signInTo } = props;
  if (viewer === undefined) return <BarLink href="/settings" icon="user" label="Account" />;
  if (viewer === 'signed out')
    return <BarLink href={signInPath(signInTo)} icon="log-in" label="Sign in" />;
  return (
    <>
      <BarLink href="/settings" icon="user" label={viewer.username} title="Settings" />
      <form method="post" action="/sign-out">
        <button type="submit" class="action" title="Sign out">
          <Icon name="log-out" />
          <span class="label">Sign out</span>
        </button>
      </form>
    </>
  );
}

function BarLink(link: { href: string; icon: IconName; label: string; title?: string }) {
  return (
    <a class="action" href={link.href} title={link.title ?? link.label}>
      <Icon name={link.icon} />
      <span class="label">{link.label}</span>
    </a>
  );
}

/** Links to what whoever runs this instance says of it. */
export function legalLinks({ face }: Site): [label: string, href: string][] {
  const links: [string, string | undefined][] = [
    ['Terms', face.terms],
    ['Privacy', face.privacy],
    ['Imprint', face.imprint],
    ['Contact', face.contact],
  ];
  return links.flatMap(([label, href]) => (href === undefined ? [] : [[label, href]]));
}

function Foot({ site, children }: { site: Site; children: ComponentChildren }): JSX.Element {
  return (
    <footer class="foot">
      <div>{children}</div>
      <p>
        <a href="/">Briefs</a> {site.version} · <a href={REFERENCE_PATH}>API</a>
        {legalLinks(site).map(([label, href]) => (
          <>
            {' · '}
            <a href={href}>{label}</a>
          </>
        ))}
      </p>
    </footer>
  );
}
