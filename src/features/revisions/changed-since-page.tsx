import type { ComponentChildren, JSX } from 'preact';
import type { Comparison } from '../../base/text/comparison.ts';
import { shownTitle } from '../../core/document/shown-title.ts';
import { documentPath, type Titled } from '../../surfaces/web/addresses.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { PageHead } from '../../surfaces/web/pages/parts.tsx';
import { Differences } from './differences.tsx';

/** What has changed since someone saw a document. */
export interface ChangedSinceView {
  document: Titled & { id: string };
  /** The revision that was shown; 0 if that isn't known. */
  shown: number;
  current: number;
  /** `undefined` if the reader can't read the text that was shown, or it is gone. */
  comparison: Comparison | undefined;
  /** Whether an action was refused for it. */
  isRefused: boolean;
}

/**
 * Says that nothing was done because something else was shown, shows what has changed, and offers
 * the action again.
 *
 * @param action renders the form for the current state. It is left out unless everything that has
 *   changed is shown.
 */
export function changedSincePage(view: ChangedSinceView, action: JSX.Element): AppPage {
  const { document } = view;
  const title = `${shownTitle(document)} has changed`;
  return {
    title,
    stylesheets: ['comparison.css'],
    children: (
      <div class="sheet wide">
        <PageHead title={title}>
          <a class="secondary small" href={documentPath('read', document)}>
            Read revision {view.current}
          </a>
        </PageHead>
        <div data-dialog-content={title}>
          <ChangedSince view={view}>{action}</ChangedSince>
        </div>
      </div>
    ),
  };
}

/** Renders what has changed and, if that is all shown, the action. */
export function ChangedSince(props: {
  view: ChangedSinceView;
  children: ComponentChildren;
}): JSX.Element {
  const { view, children } = props;
  const { document, shown, current, comparison, isRefused } = view;
  const isShown = comparison !== undefined && !comparison.isCut;
  return (
    <div class="changed-since">
      <p class="changed-note" role={isRefused ? 'alert' : undefined}>
        {shown > 0
          ? `The text has changed since revision ${shown}, which you have seen. `
          : 'It isn’t known which text you have seen. '}
        {isRefused && 'So nothing was done. '}
        {!isShown && 'Read it first.'}
      </p>
      {comparison && <Differences comparison={comparison} />}
      {isShown ? (
        children
      ) : (
        <p class="form-actions">
          <a class="primary" href={documentPath('read', document)}>
            Read revision {current}
          </a>
        </p>
      )}
    </div>
  );
}
