import type { ComponentChildren } from 'preact';
import type { AppPage } from './app-page.tsx';
import { PageHead } from './parts.tsx';

/**
 * Returns a small screen with one form. Links with `data-dialog` open its content as a dialog over
 * the screen they are on.
 */
export function dialogScreen(
  screen: Pick<AppPage, 'place' | 'trail'> & { title: string; children: ComponentChildren },
): AppPage {
  const { title, children, ...rest } = screen;
  return {
    ...rest,
    title,
    children: (
      <div class="sheet narrow">
        <PageHead title={title} />
        <div data-dialog-content={title}>{children}</div>
      </div>
    ),
  };
}
