import type { Site } from './assets.ts';
import { renderPeoplePage } from './people-page.tsx';

/**
 * Leads on to a path by itself. A redirect would not do where the way may end at another host:
 * browsers hold every step of it against the `form-action` of the page with the form.
 */
export function renderSignedInPage(site: Site, next: string): string {
  return renderPeoplePage(site, {
    title: 'You are signed in',
    description: 'You are signed in to Briefs.',
    head: <meta http-equiv="refresh" content={`0; url=${next}`} />,
    children: (
      <p>
        <a href={next}>Go on</a>
      </p>
    ),
  });
}
