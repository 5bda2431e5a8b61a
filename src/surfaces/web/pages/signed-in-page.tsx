import { renderAccountPage } from './account-page.tsx';
import type { Site } from './assets.ts';

/**
 * Renders a page that opens a path by itself. A redirect could end at another host, which the
 * form's `form-action` would block.
 */
export function renderSignedInPage(site: Site, next: string): string {
  return renderOnwardPage(site, next, 'You’re signed in');
}

/** Renders a page that goes to the provider by itself, for the same reason. */
export function renderLeavingPage(site: Site, url: string, upstreamName: string): string {
  return renderOnwardPage(site, url, `Going on to ${upstreamName}`);
}

function renderOnwardPage(site: Site, next: string, title: string): string {
  return renderAccountPage(site, {
    title,
    description: `${title}: ${site.face.name}.`,
    head: <meta http-equiv="refresh" content={`0; url=${next}`} />,
    children: (
      <p>
        <a href={next}>Continue</a>
      </p>
    ),
  });
}
