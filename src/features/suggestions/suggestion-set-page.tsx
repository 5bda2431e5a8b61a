import type { JSX } from 'preact';
import { shownTitle } from '../../core/document/shown-title.ts';
import { digestOf } from '../../core/review/suggestion-digest.ts';
import { documentPath } from '../../surfaces/web/addresses.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { ButtonForm } from '../../surfaces/web/pages/parts.tsx';
import { SuggestedWords } from '../comments/thread-card.tsx';
import { By, ChangedNote, suggestionFrame } from '../proposals/proposal-page.tsx';
import type { ChangedSinceView } from '../revisions/changed-since-page.tsx';
import { writerOf } from '../revisions/revision-parts.tsx';
import type { SuggestionSet } from './suggestion-set-service.ts';

type Shown = SuggestionSet & {
  /** The time, ISO 8601. */
  now: string;
  /** What has changed since the suggestions were shown, if some were to be accepted or rejected. */
  changed?: ChangedSinceView | undefined;
};

type Suggested = Shown['threads'][number];

/** Shows suggestions that were made together, to accept or reject one by one or all. */
export function suggestionSetPage(shown: Shown): AppPage {
  const { document, threads, changed, now } = shown;
  const [first] = threads as [Suggested];
  const title = `Suggestions for ${shownTitle(document)}`;
  return suggestionFrame(title, document, first, [
    changed && <ChangedNote changed={changed} />,
    <div class="proposal-head">
      <By thread={first} now={now}>
        , for <a href={documentPath('history', document)}>revision {first.madeVersion}</a>
      </By>
      <div class="proposal-acts">
        <All set={shown} act="acceptAll" label="Accept" right="accept" />
        <All set={shown} act="rejectAll" label="Reject" right="close" />
      </div>
    </div>,
    first.comments[0] && (
      <p class="plain-source" dir="auto">
        {first.comments[0].body}
      </p>
    ),
    <ol class="suggestion-set">
      {threads.map((thread, index) => (
        <One set={shown} thread={thread} number={index + 1} />
      ))}
    </ol>,
  ]);
}

/** Renders the button for all that can still be decided. With one left, its own buttons are enough. */
function All(props: {
  set: Shown;
  act: 'acceptAll' | 'rejectAll';
  label: string;
  right: 'accept' | 'close';
}): JSX.Element | null {
  const { set, act, label, right } = props;
  const threads = set.threads.filter(({ rights }) => rights[right]);
  if (threads.length < 2) return null;
  const which = threads.length === set.threads.length ? 'all' : 'the other';
  return (
    <ButtonForm
      action={documentPath('read', set.document)}
      fields={{
        act,
        back: 'set',
        document: set.document.id,
        revision: String(set.document.version),
        thread: threads.map(({ id }) => id).join(' '),
        expected: threads.map(digestOf).join(' '),
      }}
      label={`${label} ${which} ${threads.length}`}
      class={right === 'accept' ? 'primary small' : 'secondary small'}
    />
  );
}

function One(props: { set: Shown; thread: Suggested; number: number }): JSX.Element {
  const { set, thread, number } = props;
  const { document } = set;
  const { id, state, rights, prefix, suffix } = thread;
  const isOpen = state === 'open';
  const action = documentPath('read', document);
  const fields = {
    back: 'set',
    document: document.id,
    revision: String(document.version),
    thread: id,
    expected: digestOf(thread),
  };
  return (
    <li class={isOpen ? undefined : 'closed'} id={`thread-${id}`}>
      <SuggestedWords
        quote={thread.quote}
        replacement={thread.replacement}
        before={prefix?.split('\n').at(-1)}
        after={suffix?.split('\n', 1)[0]}
      />
      {isOpen && thread.atState !== 'kept' && (
        <p class="aside">It can’t be accepted: its passage has changed.</p>
      )}
      {!isOpen && (
        <p class="aside">
          {OUTCOMES[state]}
          {thread.closedBy !== null && ` by ${thread.closedBy}`}
        </p>
      )}
      {thread.accountId !== set.threads[0]?.accountId && (
        <p class="aside">Moved to this passage by {writerOf(thread)}</p>
      )}
      {isOpen && (
        <div class="proposal-acts">
          <a class="quiet small" href={`${action}#thread-${id}`}>
            In the text<span class="visually-hidden">: suggestion {number}</span>
          </a>
          {rights.accept && (
            <ButtonForm
              action={action}
              fields={{ act: 'accept', ...fields }}
              label="Accept"
              name={`Accept suggestion ${number}`}
              class="secondary small"
            />
          )}
          {rights.close && (
            <ButtonForm
              action={action}
              fields={{ act: 'reject', ...fields }}
              label="Reject"
              name={`Reject suggestion ${number}`}
              class="quiet small"
            />
          )}
        </div>
      )}
    </li>
  );
}

const OUTCOMES = { resolved: 'Resolved', accepted: 'Accepted', rejected: 'Rejected' } as const;
