import type { Site } from './assets.ts';
import { renderLayout } from './layout.tsx';

export interface ErrorPage {
  status: number;
  title: string;
  /** What happened, in one or two sentences. */
  message: string;
  /** The link to follow next; Home by default. */
  way?: { href: string; label: string };
}

const TO_START = { href: '/', label: 'Go to Home' };

/** Renders an error with one link to follow. */
export function renderErrorPage(site: Site, page: ErrorPage): string {
  const { status, title, message, way = TO_START } = page;
  return renderLayout({
    site,
    title,
    description: message,
    stylesheets: ['site.css'],
    head: <meta name="robots" content="noindex" />,
    children: (
      <div class="column error">
        <p class="status">{status}</p>
        <h1>{title}</h1>
        <p class="lead">{message}</p>
        <p>
          <a href={way.href}>{way.label}</a>
        </p>
      </div>
    ),
  });
}
