import type { Site } from '../../surfaces/web/pages/assets.ts';
import { renderLayout } from '../../surfaces/web/pages/layout.tsx';

/** Renders the page that the service worker shows without a network. */
export function renderOfflinePage(site: Site): string {
  return renderLayout({
    site,
    title: 'Offline',
    description: 'This page needs a network.',
    stylesheets: ['site.css'],
    head: <meta name="robots" content="noindex" />,
    children: (
      <div class="column">
        <h1>You’re offline</h1>
        <p class="lead">
          What you wrote and isn’t saved yet is kept in this browser. It comes back when you open
          the editor again. This page needs a network.
        </p>
      </div>
    ),
  });
}
