import type { Site } from '../assets.ts';
import type { Viewer } from '../layout.tsx';
import { renderPeoplePage } from '../people-page.tsx';
import { textAreaContent } from '../text-area.ts';

/** What somebody wrote and the service did not save. */
export interface UnsavedTextPage {
  viewer: Viewer;
  title: string;
  /** Why it was not saved, and what can be done. */
  message: string;
  content: string;
  /** What is sent with it. */
  fields: Record<string, string>;
  /** Where it is sent. */
  action: string;
  /** What sending it does. */
  button: string;
}

/** Gives back what was written, to be sent once more or copied; for whoever has no script. */
export function renderUnsavedTextPage(site: Site, page: UnsavedTextPage): string {
  return renderPeoplePage(site, {
    viewer: page.viewer,
    title: page.title,
    description: page.message,
    children: (
      <>
        <p class="lead" role="alert">
          {page.message}
        </p>
        {page.viewer === 'signed out' && (
          <p>
            <a href="/sign-in" target="_blank" rel="noopener">
              Sign in in another tab
            </a>
            , then save.
          </p>
        )}
        <form class="form" method="post" action={page.action} encType="multipart/form-data">
          {Object.entries(page.fields).map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <div class="field">
            <label for="content">What you wrote</label>
            <textarea
              id="content"
              name="content"
              rows={16}
              dangerouslySetInnerHTML={textAreaContent(page.content)}
            />
          </div>
          <button type="submit" class="primary">
            {page.button}
          </button>
        </form>
      </>
    ),
  });
}
