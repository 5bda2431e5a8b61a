import type { JSX } from 'preact';
import {
  comparePath,
  documentPath,
  pathWithShown,
  revisionPath,
  shownPath,
  type Titled,
} from '../../surfaces/web/addresses.ts';
import { ButtonForm, HiddenFields } from '../../surfaces/web/pages/parts.tsx';
import type { ReviewBarView } from './review-bar-service.ts';

/** How many people a sentence names. */
const MAX_NAMED = 3;

/** How many reviewers can be asked again from the bar. */
const MAX_ASKED = 2;

/**
 * Renders the bar above a document: the state of its reviews in words, what has changed since the
 * reader's own, and the decision about the revision on the screen. The script of open pages
 * (`live/client/update-page.ts`) brings it up to date, so the place is there without a bar, too.
 *
 * @param props.since the revision since which changes are shown
 */
export function ReviewBar(props: {
  document: Titled & { id: string; version: number };
  bar: ReviewBarView | undefined;
  since: number | undefined;
}): JSX.Element {
  const { document, bar, since } = props;
  return (
    <div id="review-bar">
      {bar?.isShown && (
        <aside class={`revision-banner review-bar ${bar.state}`} aria-label="Review">
          <div class="review-says">
            <p>
              {sentenceOf(bar)}{' '}
              {since !== undefined && since < bar.revision && (
                <ChangesLink document={document} from={since} to={bar.revision} />
              )}
            </p>
            {bar.asked?.note && <p class="review-note">“{bar.asked.note}”</p>}
          </div>
          <div class="review-acts">
            <Decision document={document} bar={bar} />
            {bar.rights.ask &&
              ['outdated', 'none'].includes(bar.state) &&
              [...bar.changesBefore, ...bar.approvedBefore]
                .slice(0, MAX_ASKED)
                .map((username) => (
                  <ButtonForm
                    action={`${documentPath('review', document)}/request`}
                    fields={{ document: document.id, username, back: 'read' }}
                    label={`Ask ${username} again`}
                    class="secondary small"
                  />
                ))}
          </div>
        </aside>
      )}
    </div>
  );
}

/**
 * Renders a link that marks changes in the text, or shows both pages; without script, it compares
 * the sources.
 */
export function ChangesLink(props: { document: Titled; from: number; to: number }): JSX.Element {
  const { document, from, to } = props;
  return (
    <a
      class="changes-link"
      href={comparePath(document, from, to)}
      data-changes={
        document.kind === 'brief' ? revisionPath(document, from) : shownPath(document, from, to)
      }
    >
      Show the changes
    </a>
  );
}

/** Renders the decision of someone who is asked, or whose earlier one no longer holds. */
function Decision(props: {
  document: Titled & { id: string };
  bar: ReviewBarView;
}): JSX.Element | null {
  const { document, bar } = props;
  const { own, asked, rights, revision } = bar;
  if (!rights.decide || own?.isFresh || !(own || asked)) return null;
  return (
    <form method="post" action={documentPath('review', document)} class="review-decision">
      <HiddenFields fields={{ document: document.id, revision: String(revision), back: 'read' }} />
      <details class="review-comment">
        <summary class="quiet small">Add a comment</summary>
        <textarea
          name="body"
          rows={3}
          maxLength={10_000}
          dir="auto"
          aria-label={`Comment on revision ${revision}`}
        />
      </details>
      <button type="submit" class="secondary small" name="verdict" value="changes_requested">
        Request changes
      </button>
      {bar.hidesWords ? (
        <a
          class="primary small"
          href={pathWithShown('review', { ...document, version: revision })}
          data-dialog
        >
          Approve…
        </a>
      ) : (
        <button type="submit" class="primary small" name="verdict" value="approved">
          Approve revision {revision}
        </button>
      )}
    </form>
  );
}

function sentenceOf(bar: ReviewBarView): string {
  const sentences = [ownSentence(bar), othersSentence(bar)].filter((each) => each !== '');
  return sentences.length > 0 ? sentences.join(' ') : earlierSentence(bar);
}

function ownSentence({ own, asked }: ReviewBarView): string {
  if (asked) return `${asked.by ?? 'Someone'} asked you to review this.`;
  if (!own) return '';
  const did = own.verdict === 'approved' ? 'You approved' : 'You requested changes to';
  return own.isFresh
    ? `${did} this text.`
    : `${did} revision ${own.version}. It has changed since.`;
}

function othersSentence({ approvedBy, changesBy, waitingFor, own, asked }: ReviewBarView): string {
  const also = own?.isFresh || asked ? 'also ' : '';
  return [
    changesBy.length > 0 ? `${inWords(changesBy)} ${also}requested changes.` : '',
    approvedBy.length > 0 ? `${inWords(approvedBy)} ${also}approved it.` : '',
    waitingFor.length > 0 ? `Waiting for ${inWords(waitingFor)}.` : '',
  ]
    .filter((each) => each !== '')
    .join(' ');
}

function earlierSentence({ approvedBefore, changesBefore }: ReviewBarView): string {
  const before = [
    changesBefore.length > 0 ? `${inWords(changesBefore)} requested changes.` : '',
    approvedBefore.length > 0 ? `Approved by ${inWords(approvedBefore)}.` : '',
  ].filter((each) => each !== '');
  const isKnown = before.length > 0;
  return `${isKnown ? before.join(' ') : 'Reviewed earlier.'} It has changed since.`;
}

/** Names people, at most a few of them. */
function inWords(people: readonly string[]): string {
  const others = people.length - MAX_NAMED;
  const more = others > 0 ? [`${others} ${others === 1 ? 'other' : 'others'}`] : [];
  return new Intl.ListFormat('en').format([...people.slice(0, MAX_NAMED), ...more]);
}
