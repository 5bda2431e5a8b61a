import type { AppPage } from './app-page.tsx';

/** Shows an error to a signed-in visitor, with the app's navigation. */
export function errorAppPage(error: { status: number; title: string; message: string }): AppPage {
  return {
    title: error.title,
    children: (
      <div class="sheet narrow">
        <p class="aside">{error.status}</p>
        <h1>{error.title}</h1>
        <p>{error.message}</p>
        <p>
          <a href="/">Go to Home</a>
        </p>
      </div>
    ),
  };
}
