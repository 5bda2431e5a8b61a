import type { JSX } from 'preact';
import type { Revision } from '../../../document/revision/revision.ts';
import { type Addressed, documentPath } from '../../app/addresses.ts';
import { Moment } from '../format.tsx';
import type { AppPage } from './app-page.tsx';
import { Avatar } from './parts.tsx';

/** Who wrote a document, the latest first. */
export function historyPage(document: Addressed, revisions: readonly Revision[]): AppPage {
  const title = `History of ${document.name}`;
  return {
    title,
    children: (
      <div class="sheet narrow">
        <h1>{title}</h1>
        <p>
          <a href={documentPath('read', document)}>Back to the {document.kind}</a>
        </p>
        <div data-dialog-content={title}>
          <ol class="items">
            {revisions.map((revision) => (
              <Entry
                by={revision.author ?? undefined}
                did={describe(revision)}
                at={revision.createdAt}
              />
            ))}
          </ol>
        </div>
      </div>
    ),
  };
}

const WHAT = {
  content: 'the text',
  name: 'the name',
  visibility: 'who can read it',
} as const;

function describe({ number, changed }: Revision): string {
  if (number === 1) return 'Created';
  const parts = changed.map((part) => WHAT[part]);
  if (parts.length === 0) return 'Saved it without a change';
  return `Changed ${new Intl.ListFormat('en').format(parts)}`;
}

function Entry(props: { by: string | undefined; did: string; at: string }): JSX.Element {
  return (
    <li class="item">
      {props.by !== undefined && <Avatar username={props.by} />}
      <div class="item-main">
        <strong class="item-title">{props.by ?? 'An account that is gone'}</strong>
        <p class="item-facts">
          <span>{props.did}</span>
          <Moment at={props.at} />
        </p>
      </div>
    </li>
  );
}
