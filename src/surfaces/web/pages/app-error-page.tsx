import type { AppPage } from './app-page.tsx';

/** Unavailable for legal reasons (RFC 7725). */
const TAKEN_DOWN = 451;

/** Shows an error to a signed-in visitor, with the app's navigation. */
export function errorAppPage(error: { status: number; title: string; message: string }): AppPage {
  return {
    title: error.title,
    children: (site) => (
      <div class="sheet narrow">
        <p class="aside">{error.status}</p>
        <h1>{error.title}</h1>
        <p>{error.message}</p>
        <p>
          <a href="/">Go to Home</a>
          {error.status === TAKEN_DOWN && site.face.contact !== undefined && (
            <>
              {' · '}
              <a href={site.face.contact}>Ask an administrator</a>
            </>
          )}
        </p>
      </div>
    ),
  };
}
