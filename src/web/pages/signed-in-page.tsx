import { renderAccountPage } from './account-page.tsx';
import type { Site } from './assets.ts';

/**
 * Renders a page that moves on to a path by itself. A redirect could end at another host, which the
 * `form-action` of the page with the form would block.
 */
export function renderSignedInPage(site: Site, next: string): string {
  return renderAccountPage(site, {
    title: 'You’re signed in',
    description: 'You’re signed in to Briefs.',
    head: <meta http-equiv="refresh" content={`0; url=${next}`} />,
    children: (
      <p>
        <a href={next}>Continue</a>
      </p>
    ),
  });
}
