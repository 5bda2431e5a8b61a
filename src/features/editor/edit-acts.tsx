import type { JSX } from 'preact';
import { documentPath, pathWithShown } from '../../surfaces/web/addresses.ts';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import { CopyLinkItem, MenuLink } from '../../surfaces/web/pages/menu-items.tsx';
import { ReviewAction } from '../review/review-page.tsx';
import type { EditPage } from './edit-state.ts';

/**
 * Renders what else one can do with the document, without leaving the editor: Review and Share open as
 * dialogs. On phones, both are in the menu. A script fetches it after the first save.
 */
export function EditorActs({ page }: { page: EditPage }): JSX.Element {
  const { document, acts } = page;
  if (!document || !acts) return <div class="editor-acts" id="editor-acts" />;
  const { state, link, linkHint } = acts;
  const share = pathWithShown('share', document);
  return (
    <div class="editor-acts" id="editor-acts">
      {state !== undefined && <ReviewAction document={document} state={state} />}
      <a class="action" href={share} title="Share" data-dialog>
        <Icon name="user-plus" />
        <span class="label">Share</span>
      </a>
      <details class="menu" data-menu>
        <summary class="action" title="More">
          <Icon name="ellipsis" />
          <span class="visually-hidden">More</span>
        </summary>
        <ul class="menu-items">
          {state !== undefined && (
            <MenuLink
              href={pathWithShown('review', document)}
              icon="check"
              label="Review"
              isDialog
            />
          )}
          <MenuLink href={share} icon="user-plus" label="Share" isDialog />
          <CopyLinkItem link={link} hint={linkHint} />
          <MenuLink href={documentPath('history', document)} icon="history" label="History" />
        </ul>
      </details>
    </div>
  );
}
