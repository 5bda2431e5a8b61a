import type { ComponentChildren, JSX } from 'preact';
import { conflictLines } from '../../base/text/conflict-lines.ts';
import { shownTitle } from '../../core/document/shown-title.ts';
import { digestOf } from '../../core/review/suggestion-digest.ts';
import type { ThreadRow } from '../../core/review/thread-store.ts';
import {
  comparePath,
  documentPath,
  proposalPath,
  type Titled,
} from '../../surfaces/web/addresses.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { Ago } from '../../surfaces/web/pages/format.tsx';
import { ButtonForm, PageHead } from '../../surfaces/web/pages/parts.tsx';
import { SuggestedWords } from '../comments/thread-card.tsx';
import type { ChangedSinceView } from '../revisions/changed-since-page.tsx';
import { Differences } from '../revisions/differences.tsx';
import { WriterSign, writerOf } from '../revisions/revision-parts.tsx';
import type { ComparedProposal } from './proposal-reading-service.ts';

type Shown = ComparedProposal & {
  now: string;
  /** Whether all changes were asked for. */
  isWhole: boolean;
  /** What has changed since the proposal was shown, if it was to be accepted or rejected. */
  changed?: ChangedSinceView;
};

/** Shows what a proposal changes, with Accept and Reject. */
export function proposalPage(shown: Shown): AppPage {
  const { thread, current, comparison, changed } = shown;
  const { document } = current;
  return suggestionFrame(`Proposed changes in ${shownTitle(document)}`, document, thread, [
    changed && <ChangedNote changed={changed} />,
    <div class="proposal-head">
      <By thread={thread} now={shown.now}>
        , for <a href={documentPath('history', document)}>revision {thread.madeVersion}</a>
      </By>
      <Decide document={document} thread={thread} rights={shown.rights} />
    </div>,
    <State shown={shown} />,
    <Differences comparison={comparison} />,
    comparison.isCut && <Rest shown={shown} />,
  ]);
}

/** Says why a cut proposal can't be accepted, and where it is whole. */
function Rest({ shown }: { shown: Shown }): JSX.Element {
  const { thread, current, isWhole } = shown;
  if (isWhole) {
    return (
      <p class="notice">
        The changes are too long to show whole, so they can’t be accepted here. Ask for smaller
        ones.
      </p>
    );
  }
  return (
    <p class="form-actions">
      <a class="secondary" href={`${proposalPath(current.document, thread.id)}&whole`}>
        Show all changes
      </a>
    </p>
  );
}

/** A suggestion to replace a passage, to be shown whole. */
export interface ShownSuggestion {
  document: Titled & { version: number };
  thread: ThreadRow;
  now: string;
  rights: { accept: boolean; close: boolean };
  /** What has changed since it was shown, if it was to be accepted or rejected. */
  changed?: ChangedSinceView;
}

/** Shows a passage and the whole text that is suggested for it, with Accept and Reject. */
export function suggestionPage(shown: ShownSuggestion): AppPage {
  const { document, thread, changed } = shown;
  return suggestionFrame(`Suggestion for ${shownTitle(document)}`, document, thread, [
    changed && <ChangedNote changed={changed} />,
    <div class="proposal-head">
      <By thread={thread} now={shown.now} />
      <Decide document={document} thread={thread} rights={shown.rights} />
    </div>,
    thread.state !== 'open' && <p class="notice">{OUTCOMES[thread.state]}</p>,
    thread.state === 'open' && thread.atState !== 'kept' && (
      <p class="notice">It can’t be accepted: its passage has changed.</p>
    ),
    <SuggestedWords quote={thread.quote} replacement={thread.replacement} />,
  ]);
}

/** The page of suggestions, with links to the document. */
export function suggestionFrame(
  title: string,
  document: Titled,
  thread: ThreadRow,
  children: ComponentChildren,
): AppPage {
  return {
    title,
    stylesheets: ['comparison.css', 'comments.css'],
    children: (
      <div class="sheet wide">
        <PageHead title={title}>
          <a class="secondary small" href={documentPath('history', document)}>
            History
          </a>
          <a class="secondary small" href={`${documentPath('read', document)}#thread-${thread.id}`}>
            {document.kind === 'brief' ? 'Comments' : 'Current text'}
          </a>
        </PageHead>
        {children}
      </div>
    ),
  };
}

/** Says that nothing was done, and shows how the text has changed. */
export function ChangedNote({ changed }: { changed: ChangedSinceView }): JSX.Element {
  const { shown, current, comparison } = changed;
  return (
    <>
      <p class="changed-note" role="alert">
        {shown === current
          ? 'This suggestion has changed since you read it, so nothing was done. Below is what it is now.'
          : 'The text has changed since you read it, so nothing was done. Below is what the ' +
            'suggestion does now.'}
      </p>
      {shown !== current && comparison && (
        <details>
          <summary>
            Changes of the text since revision {shown}: +{comparison.added} −{comparison.removed}
          </summary>
          <Differences comparison={comparison} />
        </details>
      )}
    </>
  );
}

/** Says who made a suggestion, and when. */
export function By(props: {
  thread: ThreadRow;
  now: string;
  children?: ComponentChildren;
}): JSX.Element {
  const { thread, now, children } = props;
  return (
    <>
      <WriterSign {...thread} />
      <p>
        {writerOf(thread)}, <Ago at={thread.createdAt} now={now} />
        {children}
      </p>
    </>
  );
}

function Decide(props: {
  document: Titled & { version: number };
  thread: ThreadRow;
  rights: { accept: boolean; close: boolean };
}): JSX.Element | null {
  const { document, thread, rights } = props;
  if (thread.state !== 'open') return null;
  const action = documentPath('read', document);
  const shown = {
    document: document.id,
    thread: thread.id,
    revision: String(document.version),
    expected: digestOf(thread),
  };
  return (
    <div class="proposal-acts">
      {rights.accept && (
        <ButtonForm
          action={action}
          fields={{ act: 'accept', ...shown }}
          label="Accept"
          class="primary small"
        />
      )}
      {rights.close && (
        <ButtonForm
          action={action}
          fields={{ act: 'reject', ...shown }}
          label="Reject"
          class="secondary small"
        />
      )}
    </div>
  );
}

const OUTCOMES = {
  resolved: 'This was resolved.',
  accepted: 'This was accepted.',
  rejected: 'This was rejected.',
} as const;

/** Shows a proposal's state, and what it is compared with. */
function State({ shown }: { shown: Shown }): JSX.Element | null {
  const { thread, base, current, merged, against } = shown;
  const { document } = current;
  if (thread.state !== 'open') return <p class="notice">{OUTCOMES[thread.state]}</p>;
  const isOld = base.text !== current.text;
  if (merged.conflicts.length > 0) {
    return (
      <p class="notice">
        It can’t be accepted: others changed the same lines since ({conflictLines(merged.conflicts)}{' '}
        of the current text).{' '}
        <a href={comparePath(document, base.number, document.version)}>See their changes</a>, or
        propose again from the current text.
      </p>
    );
  }
  if (!isOld) return null;
  const path = proposalPath(document, thread.id);
  return against === 'current' ? (
    <p class="aside">
      Changes to the current text.{' '}
      <a href={`${path}&as=made`}>Show it against the text it was made from</a>
    </p>
  ) : (
    <p class="aside">
      Changes to revision {base.number}, from which it was made.{' '}
      <a href={path}>Show it against the current text</a>
    </p>
  );
}
