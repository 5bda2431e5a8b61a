import { renderToString } from 'preact-render-to-string';
import { DisplayNames } from '../../surfaces/web/pages/person.tsx';
import type { Discussion, ShownThread } from '../comments/discussion-state.ts';
import { ThreadCard } from '../comments/thread-card.tsx';

/** Returns a thread's card as HTML, for the editor's panel. */
export function renderSourceThread(
  discussion: Discussion,
  thread: ShownThread,
  names: ReadonlyMap<string, string>,
): string {
  return renderToString(
    <DisplayNames.Provider value={names}>
      <ThreadCard discussion={discussion} thread={thread} />
    </DisplayNames.Provider>,
  );
}
