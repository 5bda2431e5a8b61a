import type { JSX } from 'preact';
import type { Site } from './assets.ts';

/** Renders the elements of the head that let browsers install the app. */
export function Installable({ site }: { site: Site }): JSX.Element {
  return (
    <>
      <link
        rel="manifest"
        href="/manifest.webmanifest"
        data-worker={site.keepsCopies ? '/service-worker.js' : undefined}
      />
      <link rel="apple-touch-icon" href={site.assets.url('icon-touch.png')} />
      <meta name="theme-color" media="(prefers-color-scheme: light)" content="#fdfcfa" />
      <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#171816" />
    </>
  );
}
