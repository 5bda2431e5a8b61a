import type { ComponentChildren, JSX } from 'preact';
import type { Revision } from '../../core/revision/revision.ts';
import { documentPath, revisionPath, type Titled } from '../../surfaces/web/addresses.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { ConfirmForm, PageHead } from '../../surfaces/web/pages/parts.tsx';
import type { Repetitions } from './erasure-service.ts';

/** The most links to places of one kind. */
const MAX_LINKS = 20;

/** Asks for confirmation before a text is erased, and says what repeats it. */
export function erasePage(document: Titled, revision: Revision, repetitions: Repetitions): AppPage {
  const { number, pinned } = revision;
  const title = `Erase the text of revision ${number}?`;
  const path = documentPath('history', document);
  const { suggestions } = repetitions;
  return {
    title,
    children: (
      <div class="sheet narrow">
        <PageHead title={title} />
        <p>
          This text of{' '}
          <strong>
            {document.ownerNamespace}/{document.name}
          </strong>{' '}
          will be gone: no one can read or restore it again. Revisions next to it that have the same
          text lose it too. {pinned && 'It is pinned, so its link will stop working. '}
          {suggestions.length > 0 && `${erasedWithIt(suggestions.length)} `}
          The history still shows who saved it and when. You can’t undo this.
        </p>
        <Remaining document={document} repetitions={repetitions} />
        <ConfirmForm
          action={path}
          fields={{ act: 'erase', document: document.id, revision: String(number) }}
          label="Erase this text"
          back={path}
        />
      </div>
    ),
  };
}

function erasedWithIt(count: number): string {
  return count === 1
    ? 'A suggestion that repeats its words loses its text, too.'
    : `${count} suggestions that repeat its words lose their texts, too.`;
}

/** Lists what repeats words of the text and stays. */
function Remaining(props: { document: Titled; repetitions: Repetitions }): JSX.Element {
  const { document, repetitions } = props;
  const { threads, reviews, messages, revisions } = repetitions;
  const read = documentPath('read', document);
  return (
    <>
      <p>
        Backups made before still have it.
        {countKept(repetitions) > 0 && ' These repeat words of it, and stay. Check them yourself:'}
      </p>
      {countKept(repetitions) > 0 && (
        <ul>
          {threads.length > 0 && (
            <li>
              {counted(threads.length, 'thread')} with comments:{' '}
              <Links
                items={threads.map((id, index) => ({
                  href: `${read}#thread-${id}`,
                  label: `thread ${index + 1}`,
                }))}
              />
            </li>
          )}
          {reviews > 0 && (
            <li>
              <a href={documentPath('review', document)}>
                {reviews === 1
                  ? '1 review, or request for one'
                  : `${reviews} reviews, or requests for them`}
              </a>
            </li>
          )}
          {messages.length > 0 && (
            <li>
              <a href={documentPath('history', document)}>
                {counted(messages.length, 'message')} in the history
              </a>
              , of revision {messages.slice(0, MAX_LINKS).join(', ')}
              {messages.length > MAX_LINKS && '…'}
            </li>
          )}
          {revisions.length > 0 && (
            <li>
              {counted(revisions.length, 'other revision')} with words that the current text doesn’t
              have:{' '}
              <Links
                items={revisions.map((number) => ({
                  href: revisionPath(document, number),
                  label: `revision ${number}`,
                }))}
              />
            </li>
          )}
        </ul>
      )}
    </>
  );
}

function Links({ items }: { items: { href: string; label: string }[] }): JSX.Element {
  const links = items.slice(0, MAX_LINKS).map(
    ({ href, label }, index): ComponentChildren => (
      <>
        {index > 0 && ', '}
        <a href={href}>{label}</a>
      </>
    ),
  );
  return (
    <>
      {links}
      {items.length > MAX_LINKS && '…'}
    </>
  );
}

function countKept({ threads, reviews, messages, revisions }: Repetitions): number {
  return threads.length + reviews + messages.length + revisions.length;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Says what was erased, and what still repeats words of it. */
export function erasedInWords(number: number, repetitions: Repetitions): string {
  const { suggestions, threads, reviews, messages, revisions } = repetitions;
  const also = suggestions.length === 0 ? '' : ` and ${counted(suggestions.length, 'suggestion')}`;
  const erased = `Erased the text of revision ${number}${also}.`;
  const kept = [
    threads.length > 0 && counted(threads.length, 'thread'),
    reviews > 0 && counted(reviews, 'review'),
    messages.length > 0 && counted(messages.length, 'message'),
    revisions.length > 0 && counted(revisions.length, 'other revision'),
  ].filter((part) => part !== false);
  if (kept.length === 0) return erased;
  return `${erased} Its words are still in ${new Intl.ListFormat('en').format(kept)}.`;
}
