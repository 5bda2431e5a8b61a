import { renderAccountPage } from '../../surfaces/web/pages/account-page.tsx';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import type { Viewer } from '../../surfaces/web/pages/layout.tsx';
import { textAreaContent } from '../../surfaces/web/pages/text-area.ts';

/** A text that was submitted and not saved. */
export interface UnsavedTextPage {
  viewer: Viewer;
  title: string;
  /** Why it was not saved, and what to do. */
  message: string;
  content: string;
  fields: Record<string, string>;
  /** The path the form posts to. */
  action: string;
  /** The button's label. */
  button: string;
}

/** Shows an unsaved text in a form, to submit again or copy. Used without scripts. */
export function renderUnsavedTextPage(site: Site, page: UnsavedTextPage): string {
  return renderAccountPage(site, {
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
              Sign in
            </a>{' '}
            in another tab, then save.
          </p>
        )}
        <form class="form" method="post" action={page.action} encType="multipart/form-data">
          {Object.entries(page.fields).map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <div class="field">
            <label for="content">Your text</label>
            <textarea
              id="content"
              dir="auto"
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
