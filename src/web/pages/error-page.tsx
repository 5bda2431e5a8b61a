import type { Site } from './assets.ts';
import { renderLayout } from './layout.tsx';

export interface ErrorPage {
  status: number;
  title: string;
  /** One sentence: what happened, and why if that may be told. */
  message: string;
}

/** One sentence and one way forward; the same for every error. */
export function renderErrorPage(site: Site, { status, title, message }: ErrorPage): string {
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
          <a href="/">Go to the start page</a>
        </p>
      </div>
    ),
  });
}
