import type { JSX } from 'preact';
import { type Addressed, documentPath } from '../../surfaces/web/addresses.ts';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import { DocumentField } from '../../surfaces/web/pages/parts.tsx';

/** Renders a menu item that pins a document to the top of its owner's lists, or unpins it. */
export function PinItem(props: {
  document: Addressed & { id: string };
  isPinned: boolean;
}): JSX.Element {
  return (
    <li>
      <form method="post" action={documentPath('pin', props.document)}>
        <DocumentField document={props.document} />
        <input type="hidden" name="pinned" value={props.isPinned ? 'no' : 'yes'} />
        <button type="submit" class="menu-item">
          <Icon name={props.isPinned ? 'pin-off' : 'pin'} />
          <span>{props.isPinned ? 'Unpin from the top' : 'Pin to the top'}</span>
        </button>
      </form>
    </li>
  );
}
