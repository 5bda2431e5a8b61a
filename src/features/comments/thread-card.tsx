import type { JSX } from 'preact';
import { changes } from '../../base/text/changes.ts';
import { digestOf } from '../../core/review/suggestion-digest.ts';
import { hasItsText, MAX_REPLACEMENT_SHOWN, REVIEW_LIMITS } from '../../core/review/thread.ts';
import { documentPath, proposalPath } from '../../surfaces/web/addresses.ts';
import { Ago } from '../../surfaces/web/pages/format.tsx';
import { WholeText } from '../../surfaces/web/pages/hidden-text.tsx';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import { WriterName, WriterSign } from '../revisions/revision-parts.tsx';
import type { Discussion, ShownPlace, ShownThread } from './discussion-state.ts';
import { EditOwn, OwnMenu, PlaceAgain } from './thread-extras.tsx';
import { ActButton, ThreadForm, WritingDetails } from './thread-form.tsx';

/** What people call elements. */
const ELEMENTS: Record<string, string> = {
  img: 'Image',
  picture: 'Image',
  figure: 'Figure',
  svg: 'Drawing',
  canvas: 'Drawing',
  table: 'Table',
  tr: 'Row',
  td: 'Cell',
  th: 'Cell',
  ul: 'List',
  ol: 'List',
  li: 'Item',
  p: 'Paragraph',
  h1: 'Heading',
  h2: 'Heading',
  h3: 'Heading',
  h4: 'Heading',
  video: 'Video',
  audio: 'Audio',
  form: 'Form',
  button: 'Button',
  input: 'Field',
  a: 'Link',
  section: 'Section',
  pre: 'Code',
  code: 'Code',
  blockquote: 'Quote',
};

interface Card {
  discussion: Discussion;
  thread: ShownThread;
}

/**
 * Renders a thread: who opened it and its buttons, its passage, the suggested text, its comments and
 * a field to answer. Beside a document, the script shows only its head and its `thread-line` until
 * it is chosen (`comments.css`).
 */
export function ThreadCard({ discussion, thread }: Card): JSX.Element {
  const { place, state } = thread;
  const isOpen = state === 'open';
  const [first, ...answers] = thread.comments;
  return (
    <article
      class={isOpen ? 'thread' : 'thread closed'}
      id={`thread-${thread.id}`}
      tabIndex={-1}
      aria-label={nameOf(discussion, thread)}
      {...(isOpen && place && dataOf(place))}
    >
      <div class="thread-head">
        <By {...(first ?? thread)} at={(first ?? thread).createdAt} now={discussion.now} />
        <Note thread={thread} answers={answers.length} />
        <Actions discussion={discussion} thread={thread} />
        {first?.isOwn && <OwnMenu discussion={discussion} thread={thread} comment={first} />}
      </div>
      <Passage discussion={discussion} thread={thread} />
      {thread.kind === 'replacement' && <Suggestion discussion={discussion} thread={thread} />}
      {thread.kind === 'proposal' && <Proposal discussion={discussion} thread={thread} />}
      {first && (
        <div class={thread.kind === 'comment' ? 'comment thread-line' : 'comment'}>
          <Said discussion={discussion} thread={thread} comment={first} />
        </div>
      )}
      {answers.map((comment) => (
        <div class="comment">
          <div class="thread-head">
            <By {...comment} at={comment.createdAt} now={discussion.now} />
            {comment.isOwn && <OwnMenu discussion={discussion} thread={thread} comment={comment} />}
          </div>
          <Said discussion={discussion} thread={thread} comment={comment} />
        </div>
      ))}
      {!isOpen && <Outcome thread={thread} />}
      {isOpen && discussion.can.comment && (
        <WritingDetails
          discussion={discussion}
          thread={thread.id}
          form={formId(thread)}
          act="reply"
          summary="Reply"
          submit="Reply"
          field="body"
          label="Reply"
          maxLength={REVIEW_LIMITS.bodyBytes}
          shortcut="r"
        />
      )}
      {canPlaceAgain(thread) && <PlaceAgain discussion={discussion} thread={thread} />}
    </article>
  );
}

/** The form of a card's buttons and its reply, which is at the other end of the card. */
const formId = ({ id }: ShownThread) => `act-on-${id}`;

/** Says what else a collapsed card has. */
function Note({ thread, answers }: { thread: ShownThread; answers: number }): JSX.Element | null {
  const { shownState } = thread;
  const notes = [
    shownState === 'gone' || shownState === 'moved' ? STATES[shownState] : '',
    thread.state === 'open' ? '' : OUTCOMES[thread.state],
    answers === 0 ? '' : `${answers} ${answers === 1 ? 'answer' : 'answers'}`,
  ].filter(Boolean);
  return notes.length > 0 ? <p class="thread-note">{notes.join(' · ')}</p> : null;
}

function Said(said: Card & { comment: ShownThread['comments'][number] }): JSX.Element {
  const { comment } = said;
  return (
    <>
      <Body html={comment.html} body={comment.body} />
      {comment.isOwn && <EditOwn {...said} />}
    </>
  );
}

/** Returns the attributes by which the script finds the passage. */
function dataOf(place: ShownPlace): Record<string, string | number> {
  if ('line' in place) {
    return { 'data-line': place.line, 'data-start': place.start, 'data-quote': place.quote };
  }
  const { element, isElement, quote, prefix, suffix } = place;
  return {
    'data-element': element,
    ...(isElement && { 'data-is-element': '' }),
    'data-quote': quote,
    'data-prefix': prefix,
    'data-suffix': suffix,
  };
}

/** The longest quote in a card's accessible name, in characters. */
const NAMED = 60;

const KIND_NAMES = { comment: 'Comment', replacement: 'Suggestion', proposal: 'Proposal' } as const;

function nameOf({ document }: Discussion, { kind, words, author, element }: ShownThread): string {
  const by = `${KIND_NAMES[kind]} by ${author ?? 'a deleted account'}`;
  if (words === null) return `${by} on the whole ${document.kind}`;
  const on = element === null ? by : `${by} on ${elementName(element).toLowerCase()}`;
  const letters = [...words];
  if (element !== null && letters.length === 0) return on;
  const cut = `${letters.slice(0, NAMED).join('')}${letters.length > NAMED ? '…' : ''}`;
  return element === null ? `${on} on “${cut}”` : `${on}: ${cut}`;
}

const STATES = {
  kept: undefined,
  changed: 'Changed since',
  moved: 'Moved?',
  gone: 'Gone',
  unverified: 'Shown by a script',
  pending: 'Being found after many changes. Reload in a moment',
} as const;

function Passage({ discussion, thread }: Card): JSX.Element | null {
  const { kind, quote, words, shownState, element } = thread;
  if (kind === 'proposal') return null;
  if (quote === null) return <p class="thread-place">The whole {discussion.document.kind}</p>;
  const state = shownState && STATES[shownState];
  if (quote === '') return <p class="thread-place">The text of this passage was erased</p>;
  return (
    <>
      {state && <p class={`thread-place ${shownState}`}>{state}</p>}
      {element !== null && <p class="thread-place">{elementName(element)}</p>}
      {kind !== 'replacement' && words && (
        <blockquote class="thread-quote" dir="auto">
          {words}
        </blockquote>
      )}
    </>
  );
}

/** Tells whether a card shows only the beginning of the suggested text. */
function isCut({ replacement }: Pick<ShownThread, 'replacement'>): boolean {
  return replacement !== null && replacement.length > MAX_REPLACEMENT_SHOWN;
}

function Suggestion({ discussion, thread }: Card): JSX.Element {
  const { id, quote, replacement } = thread;
  return (
    <>
      <SuggestedWords
        class="thread-line"
        quote={quote}
        replacement={
          isCut(thread) ? `${replacement?.slice(0, MAX_REPLACEMENT_SHOWN)}…` : replacement
        }
      />
      {(isCut(thread) || thread.setId !== null) && isInApp(discussion) && (
        <p class="thread-place">
          <a href={proposalPath(discussion.document, id)}>
            {thread.setId === null ? 'Show the whole suggestion' : setName(discussion, thread)}
          </a>
        </p>
      )}
    </>
  );
}

/** Names the suggestions that were made together with this one. */
function setName({ open }: Discussion, { setId }: ShownThread): string {
  const count = open.filter((each) => each.setId === setId).length;
  return count > 1 ? `All ${count} suggestions together` : 'The suggestions made with this one';
}

/** The longest passage and replacement that are compared by words, in UTF-16 code units. */
const MOST_COMPARED = 10_000;

interface Piece {
  /** The text before the change. */
  kept: string;
  removed: string;
  added: string;
}

/** Compares a passage with its replacement by words; `undefined` if nothing remains, or for long ones. */
function piecesOf(quote: string, replacement: string): Piece[] | undefined {
  if (!quote || !replacement || quote.length + replacement.length > MOST_COMPARED) return undefined;
  let at = 0;
  const pieces = changes(quote, replacement).map(({ from, to, insert }) => {
    const kept = quote.slice(at, from);
    at = to;
    return { kept, removed: quote.slice(from, to), added: insert };
  });
  const rest = quote.slice(at);
  const isAnyKept = rest.trim() !== '' || pieces.some(({ kept }) => kept.trim() !== '');
  return isAnyKept ? [...pieces, { kept: rest, removed: '', added: '' }] : undefined;
}

/**
 * Renders a passage and the text that is suggested for it: the words that change, or both whole.
 *
 * @param props.before the words before the passage, to show where it stands; `after` those after it
 */
export function SuggestedWords(
  props: Pick<ShownThread, 'quote' | 'replacement'> & {
    class?: string;
    before?: string | undefined;
    after?: string | undefined;
  },
): JSX.Element {
  const { quote, replacement } = props;
  const before = props.before && <span class="around">{`…${props.before}`}</span>;
  const after = props.after && <span class="around">{`${props.after}…`}</span>;
  // With words around it, a passage stands in its line.
  const isInLine = (before || after) && replacement !== null;
  const whole = isInLine ? [{ kept: '', removed: quote ?? '', added: replacement }] : undefined;
  const pieces = piecesOf(quote ?? '', replacement ?? '') ?? whole;
  if (pieces) {
    return (
      <div class={`suggestion ${props.class ?? ''}`}>
        <p dir="auto">
          {before}
          {pieces.map(({ kept, removed, added }, index) => (
            <>
              {kept && (index === 0 ? <Lead text={kept} /> : <WholeText text={kept} />)}
              {removed && (
                <del>
                  <WholeText text={removed} />
                </del>
              )}
              {added && (
                <ins>
                  <WholeText text={added} />
                </ins>
              )}
            </>
          ))}
          {after}
        </p>
      </div>
    );
  }
  return (
    <div class={`suggestion ${props.class ?? ''}`}>
      <p>
        <span class="visually-hidden">Replace: </span>
        <del dir="auto">
          <WholeText text={quote ?? ''} />
        </del>
      </p>
      <p>
        {replacement === null ? (
          <span class="aside">The suggested text was erased</span>
        ) : replacement ? (
          <>
            <span class="visually-hidden">with: </span>
            <ins dir="auto">
              <WholeText text={replacement} />
            </ins>
          </>
        ) : (
          <span class="aside">Delete this passage</span>
        )}
      </p>
    </div>
  );
}

/** About how much of the words before the first change a collapsed card shows, in UTF-16 code units. */
const LEAD = 12;

/** Renders the words before the first change. A collapsed card, of one line, leaves most of them out. */
function Lead({ text }: { text: string }): JSX.Element {
  const cut = text.lastIndexOf(' ', text.length - LEAD);
  return (
    <>
      {cut > 0 && (
        <span class="lead">
          <WholeText text={text.slice(0, cut)} />
        </span>
      )}
      <WholeText text={text.slice(Math.max(cut, 0))} />
    </>
  );
}

/** Tells whether the reader can open the document's other screens; not with a secret link alone. */
function isInApp({ action, document }: Discussion): boolean {
  return action === documentPath('read', document);
}

function Proposal({ discussion, thread }: Card): JSX.Element {
  const { id, added, removed, madeVersion } = thread;
  if (added === null)
    return <p class="thread-place thread-line">Proposed changes, no longer stored</p>;
  return (
    <p class="thread-place thread-line">
      Proposed changes to revision {madeVersion}: +{added} −{removed}{' '}
      {isInApp(discussion) && <a href={proposalPath(discussion.document, id)}>See the changes</a>}
    </p>
  );
}

function By(props: Pick<ShownThread, 'author' | 'via' | 'viaName'> & { at: string; now: string }) {
  return (
    <p class="comment-by">
      <WriterSign {...props} />
      <span>
        <strong>
          <WriterName {...props} />
        </strong>{' '}
        <Ago at={props.at} now={props.now} />
      </span>
    </p>
  );
}

function Body({ html, body }: { html: string | undefined; body: string }): JSX.Element {
  if (html === undefined)
    return (
      <p class="comment-body plain-source" dir="auto">
        {body}
      </p>
    );
  return <div class="comment-body" dangerouslySetInnerHTML={{ __html: html }} />;
}

const OUTCOMES = { resolved: 'Resolved', accepted: 'Accepted', rejected: 'Rejected' } as const;

/** A check mark only means that a change was taken over. */
const OUTCOME_ICONS = { resolved: 'archive', accepted: 'check', rejected: 'x' } as const;

function Outcome({ thread }: { thread: ShownThread }): JSX.Element {
  const { state, closedBy } = thread;
  return (
    <p class="thread-outcome">
      <Icon name={state === 'open' ? 'check' : OUTCOME_ICONS[state]} />
      {state !== 'open' && OUTCOMES[state]} {closedBy !== null && `by ${closedBy}`}
    </p>
  );
}

/** Tells whether the reader can give a thread a new place. */
function canPlaceAgain({ state, mayClose, shownState }: ShownThread): boolean {
  return state === 'open' && mayClose && (shownState === 'gone' || shownState === 'moved');
}

function Actions({ discussion, thread }: Card): JSX.Element {
  const { can } = discussion;
  const { id, kind, state, mayClose } = thread;
  const isOpen = state === 'open';
  const isSuggestion = isOpen && kind !== 'comment';
  // A proposal is accepted where all its changes are shown, and so is a long suggestion.
  const isShown = kind === 'replacement' && thread.atState === 'kept' && !isCut(thread);
  const name = nameOf(discussion, thread);
  return (
    <ThreadForm
      discussion={discussion}
      id={formId(thread)}
      fields={{
        thread: id,
        revision: String(discussion.version),
        expected: isCut(thread) ? '' : digestOf(thread),
      }}
    >
      {isSuggestion && can.accept && isShown && (
        <ActButton act="accept" label="Accept" icon="check" on={name} shortcut="a" />
      )}
      {isSuggestion && mayClose && <ActButton act="reject" label="Reject" icon="x" on={name} />}
      {isOpen && mayClose && (
        <ActButton act="resolve" label="Resolve" icon="archive" on={name} shortcut="x" />
      )}
      {!isOpen && mayClose && state !== 'accepted' && hasItsText(thread) && (
        <ActButton act="reopen" label="Reopen" icon="rotate-ccw" on={name} />
      )}
    </ThreadForm>
  );
}

/** Names an element for people, such as `Table #sales`. */
function elementName(element: string): string {
  const [path = '', ...id] = element.split('#');
  const tag = path.slice(path.lastIndexOf('/') + 1).split(':', 1)[0] ?? '';
  const name = Object.hasOwn(ELEMENTS, tag) ? ELEMENTS[tag] : 'Element';
  return id.length > 0 ? `${name} #${id.join('#')}` : (name ?? 'Element');
}
