import type { JSX } from 'preact';
import type { ComparedProposal } from '../../../document/review/proposal-reading-service.ts';
import { shownTitle } from '../../../document/shown-title.ts';
import { conflictLines } from '../../../text/conflict-lines.ts';
import { comparePath, documentPath, proposalPath } from '../../app/addresses.ts';
import { Ago } from '../format.tsx';
import type { AppPage } from './app-page.tsx';
import { Differences } from './comparison-page.tsx';
import { ButtonForm, PageHead } from './parts.tsx';
import { WriterSign, writerOf } from './revision-parts.tsx';

type Shown = ComparedProposal & { now: string };

/** Shows what a proposal changes, with Accept and Reject. */
export function proposalPage(shown: Shown): AppPage {
  const { thread, current, comparison } = shown;
  const { document } = current;
  const title = `Proposed changes in ${shownTitle(document)}`;
  return {
    title,
    stylesheets: ['comparison.css'],
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
        <div class="proposal-head">
          <WriterSign {...thread} />
          <p>
            {writerOf(thread)}, <Ago at={thread.createdAt} now={shown.now} />, for{' '}
            <a href={documentPath('history', document)}>revision {thread.madeVersion}</a>
          </p>
          <Decide shown={shown} />
        </div>
        <State shown={shown} />
        <Differences comparison={comparison} />
      </div>
    ),
  };
}

function Decide({ shown }: { shown: Shown }): JSX.Element | null {
  const { thread, current, rights } = shown;
  if (thread.state !== 'open') return null;
  const action = documentPath('read', current.document);
  return (
    <div class="proposal-acts">
      {rights.accept && (
        <ButtonForm
          action={action}
          fields={{ act: 'accept', thread: thread.id }}
          label="Accept"
          class="primary small"
        />
      )}
      {rights.close && (
        <ButtonForm
          action={action}
          fields={{ act: 'reject', thread: thread.id }}
          label="Reject"
          class="secondary small"
        />
      )}
    </div>
  );
}

const OUTCOMES = {
  resolved: 'This proposal was resolved.',
  accepted: 'This proposal was accepted.',
  rejected: 'This proposal was rejected.',
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
