import type { Site } from './assets.ts';
import { renderLayout } from './layout.tsx';

/** Renders what the service worker shows without a network. It replaces `copies` with a list. */
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
        <p class="lead">This page needs a network. These briefs that you read lately are here:</p>
        <p id="copies">None yet. A brief is kept here when you open it in the app.</p>
      </div>
    ),
  });
}
