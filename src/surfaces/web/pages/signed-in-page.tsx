import { renderAccountPage } from './account-page.tsx';
import type { Site } from './assets.ts';

/**
 * Renders a page that opens a path by itself. A redirect could end at another host, which the
 * form's `form-action` would block.
 */
export function renderSignedInPage(site: Site, next: string): string {
  return renderAccountPage(site, {
    title: 'You’re signed in',
    description: `You’re signed in to ${site.face.name}.`,
    head: <meta http-equiv="refresh" content={`0; url=${next}`} />,
    children: (
      <p>
        <a href={next}>Continue</a>
      </p>
    ),
  });
}
