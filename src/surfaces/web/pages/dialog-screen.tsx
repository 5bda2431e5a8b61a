import type { ComponentChildren } from 'preact';
import type { AppPage } from './app-page.tsx';
import { PageHead } from './parts.tsx';

/**
 * Returns a small screen with one form. Links with `data-dialog` open its content as a dialog over
 * the screen they are on.
 *
 * @param screen.isQuestion whether it asks about a form that was just sent. Then the dialog shows it
 *   even if it was closed in the meantime.
 */
export function dialogScreen(
  screen: Pick<AppPage, 'place' | 'trail'> & {
    title: string;
    isQuestion?: boolean;
    children: ComponentChildren;
  },
): AppPage {
  const { title, isQuestion = false, children, ...rest } = screen;
  return {
    ...rest,
    title,
    children: (
      <div class="sheet narrow">
        <PageHead title={title} />
        <div data-dialog-content={title} data-asks={isQuestion ? '' : undefined}>
          {children}
        </div>
      </div>
    ),
  };
}
