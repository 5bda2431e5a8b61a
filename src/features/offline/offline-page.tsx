import type { Site } from '../../surfaces/web/pages/assets.ts';
import { renderLayout } from '../../surfaces/web/pages/layout.tsx';

/**
 * Renders the page that the service worker shows without a network. If there are copies, the worker
 * replaces `#copies` with a list of them.
 */
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
          This page needs a network. What you wrote and isn’t saved yet is kept in this browser. It
          comes back when you open the editor again.
        </p>
        <p>You can still read the briefs that you opened recently:</p>
        <p id="copies">None yet. Briefs that you open in the app are stored for reading offline.</p>
      </div>
    ),
  });
}
