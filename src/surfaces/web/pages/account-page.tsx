import type { ComponentChildren } from 'preact';
import type { Site } from './assets.ts';
import { renderLayout, type Viewer } from './layout.tsx';

/** Renders a screen about the visitor's account: one narrow column, hidden from search engines. */
export function renderAccountPage(
  site: Site,
  page: {
    /** Absent if the visitor is not known yet. */
    viewer?: Viewer;
    title: string;
    description: string;
    head?: ComponentChildren;
    scripts?: readonly string[];
    children: ComponentChildren;
  },
): string {
  return renderLayout({
    site,
    viewer: page.viewer,
    title: page.title,
    description: page.description,
    stylesheets: ['site.css'],
    scripts: ['fields.js', ...(page.scripts ?? [])],
    head: (
      <>
        <meta name="robots" content="noindex" />
        {page.head}
      </>
    ),
    children: (
      <div class="column account">
        <h1>{page.title}</h1>
        {page.children}
      </div>
    ),
  });
}
