import type { JSX } from 'preact';
import type { HiddenText } from '../../base/markdown/hidden-text.ts';
import { shownTitle } from '../../core/document/shown-title.ts';
import {
  type Unapproved as UnapprovedChanges,
  unapprovedInWords,
} from '../../core/review/protection-service.ts';
import type { ReviewState } from '../../core/review/review.ts';
import {
  type Addressed,
  comparePath,
  documentPath,
  pathWithShown,
  type Titled,
} from '../../surfaces/web/addresses.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { FormFault, Notes } from '../../surfaces/web/pages/form-field.tsx';
import { Moment } from '../../surfaces/web/pages/format.tsx';
import { HiddenParts, isShownWhole } from '../../surfaces/web/pages/hidden-text.tsx';
import { Icon, type IconName } from '../../surfaces/web/pages/icons.tsx';
import {
  ButtonForm,
  DocumentField,
  HiddenFields,
  PageHead,
} from '../../surfaces/web/pages/parts.tsx';
import { Trail } from '../../surfaces/web/pages/trail.tsx';
import { ChangedSince, type ChangedSinceView } from '../revisions/changed-since-page.tsx';
import { WriterSign, writerOf } from '../revisions/revision-parts.tsx';

/** Someone's latest verdict, for display. */
export interface ShownReview {
  author: string | null;
  via: 'web' | 'token' | 'application' | null;
  viaName: string | null;
  verdict: 'approved' | 'changes_requested';
  version: number;
  isFresh: boolean;
  body: string | null;
  createdAt: string;
}

/** A request for a review, for display. */
interface ShownRequest {
  username: string;
  /** `null` if the account is gone. */
  requestedBy: string | null;
  note: string | null;
  isAnswered: boolean;
  /** Whether an approval counts for the protection, if there is one. */
  counts: boolean;
}

export interface ReviewPage {
  document: Titled & { id: string };
  state: ReviewState;
  /** The document's version. A review is about a version. */
  revision: number;
  reviews: readonly ShownReview[];
  requests: readonly ShownRequest[];
  rights: { review: boolean; ask: boolean; configure: boolean };
  protection: {
    isOn: boolean;
    /**
     * Whether the organization protects it, so only the organization's settings can change that.
     */
    isInherited: boolean;
    /** Whether who wrote unapproved words can't approve them alone. */
    twoPeople: boolean;
    /** What needs somebody else's approval before it can become public. */
    unapproved: readonly UnapprovedChanges[];
    /** The addresses that it has left and that are still protected, as `owner/name`. */
    left: readonly string[];
  };
  isOfOrganization: boolean;
  viewer: string;
  /** Whether the reader wrote the current text last. Then asking others comes first. */
  isOwnText: boolean;
  /**
   * What the reader has seen: the current text, an older one and what has changed since, or
   * (`undefined`) no one knows.
   */
  shown: 'current' | ChangedSinceView | undefined;
  /** What the text has that the reading view doesn't show; for briefs. */
  hidden: HiddenText | undefined;
  form: { username: string; body?: string; faults: Faults };
}

const STATES = {
  none: { icon: 'check', label: 'Not reviewed', inShort: 'Review' },
  requested: { icon: 'circle-help', label: 'Review requested', inShort: 'In review' },
  approved: { icon: 'check', label: 'Approved', inShort: 'Approved' },
  outdated: { icon: 'history', label: 'Approved, changed since', inShort: 'Changed since' },
  changes_requested: {
    icon: 'circle-alert',
    label: 'Changes requested',
    inShort: 'Changes requested',
  },
} as const satisfies Record<ReviewState, { icon: IconName; label: string; inShort: string }>;

/** Renders the action that opens the reviews, which shows their state. */
export function ReviewAction(props: {
  document: Addressed & { id: string; version: number };
  state: ReviewState;
}): JSX.Element {
  const { document, state } = props;
  const { icon, label, inShort } = STATES[state];
  return (
    <a
      class={`action review-badge ${state}`}
      href={pathWithShown('review', document)}
      title={state === 'none' ? 'Review' : label}
      data-dialog
    >
      <Icon name={icon} />
      <span class="label">{inShort}</span>
    </a>
  );
}

/** Renders the state of the reviews of a document in a list; nothing if there are none. */
export function ReviewMark({ state }: { state: ReviewState }): JSX.Element | null {
  if (state === 'none') return null;
  const { icon, label } = STATES[state];
  return (
    <span class={`review-state ${state}`}>
      <Icon name={icon} />
      {label}
    </span>
  );
}

/** Shows the Review page. The Review dialog has the same content. */
export function reviewPage(page: ReviewPage): AppPage {
  const { document, state, reviews, rights } = page;
  const { icon, label } = STATES[state];
  const asksFirst = rights.ask && isOwnAct(page);
  const verdict = rights.review && <Verdict page={page} />;
  return {
    title: `Review ${shownTitle(document)}`,
    stylesheets: ['comparison.css'],
    trail: <Trail owner={document.ownerNamespace} name={document.name} title={document.title} />,
    children: (
      <div class={typeof page.shown === 'object' ? 'sheet wide' : 'sheet narrow'}>
        <PageHead title={`Review ${shownTitle(document)}`}>
          <a class="quiet small" href={documentPath('read', document)}>
            Back to the {document.kind}
          </a>
        </PageHead>
        <div class="sharing reviewing" data-dialog-content="Review">
          <p class={`review-state ${state}`}>
            <Icon name={icon} />
            <strong>{label}</strong>
          </p>
          <Unapproved page={page} />
          {asksFirst ? <Requests page={page} /> : verdict}
          {reviews.length > 0 && (
            <ul class="items reviews">
              {reviews.map((review) => (
                <ReviewRow page={page} review={review} />
              ))}
            </ul>
          )}
          {asksFirst ? verdict : <Requests page={page} />}
          <Protection page={page} />
        </div>
      </div>
    ),
  };
}

/** Tells whether a verdict would be about the reader's own text, without anybody having asked them. */
function isOwnAct({ isOwnText, requests, viewer }: ReviewPage): boolean {
  return (
    isOwnText && !requests.some(({ username, isAnswered }) => username === viewer && !isAnswered)
  );
}

/** Says who still has to approve what. */
function Unapproved({ page }: { page: ReviewPage }): JSX.Element | null {
  const { document, revision, protection } = page;
  if (protection.unapproved.length === 0) return null;
  return (
    <ul class="aside">
      {protection.unapproved.map((each) => (
        <li>
          {unapprovedInWords(each)}{' '}
          {each.first > 1 && (
            <a href={comparePath(document, each.first - 1, revision)}>Show the changes</a>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Renders the form for a verdict, if the reader has seen the text. */
function Verdict({ page }: { page: ReviewPage }): JSX.Element {
  const { document, revision, shown } = page;
  if (shown === 'current' && isOwnAct(page)) {
    return (
      <details class="own-verdict" open={page.form.body !== undefined}>
        <summary>Review your own text</summary>
        <VerdictForm page={page} />
      </details>
    );
  }
  if (shown === 'current') return <VerdictForm page={page} />;
  if (shown) {
    return (
      <ChangedSince view={shown}>
        <VerdictForm page={page} />
      </ChangedSince>
    );
  }
  return (
    <p class="notice">
      <a href={documentPath('read', document)}>Read revision {revision}</a> before you review it.
    </p>
  );
}

function VerdictForm({ page }: { page: ReviewPage }): JSX.Element {
  const { document, revision, form } = page;
  return (
    <form class="form" method="post" action={documentPath('review', document)}>
      <FormFault fault={form.faults.form ?? form.faults.body} />
      {page.hidden && <HiddenParts hidden={page.hidden} rawPath={documentPath('raw', document)} />}
      <HiddenFields fields={{ document: document.id, revision: String(revision) }} />
      <div class="field">
        <label for="review-body">Comment on revision {revision} (optional)</label>
        <textarea id="review-body" dir="auto" name="body" rows={3} maxLength={10_000}>
          {form.body}
        </textarea>
      </div>
      <p class="form-actions">
        {(!page.hidden || isShownWhole(page.hidden)) && (
          <button
            type="submit"
            class={isOwnAct(page) ? 'secondary' : 'primary'}
            name="verdict"
            value="approved"
          >
            Approve revision {revision}
          </button>
        )}
        <button type="submit" class="secondary" name="verdict" value="changes_requested">
          Request changes
        </button>
      </p>
    </form>
  );
}

function ReviewRow({ page, review }: { page: ReviewPage; review: ShownReview }): JSX.Element {
  const { document, revision } = page;
  const { verdict, version, isFresh, body } = review;
  const said = verdict === 'approved' ? 'approved' : 'requested changes to';
  return (
    <li class="item review">
      <WriterSign {...review} />
      <div class="item-main">
        <p>
          <strong>{writerOf(review)}</strong> {said} revision {version}
        </p>
        {body !== null && <p class="review-body">{body}</p>}
        <p class="item-facts">
          <Moment at={review.createdAt} />
          {!isFresh && (
            <span>
              changed since: <a href={comparePath(document, version, revision)}>show the changes</a>
            </span>
          )}
        </p>
      </div>
    </li>
  );
}

function Requests({ page }: { page: ReviewPage }): JSX.Element | null {
  const { document, requests, rights, viewer, form } = page;
  const path = documentPath('review', document);
  if (!rights.ask && requests.length === 0) return null;
  const fault = form.faults.username;
  return (
    <section aria-labelledby="review-asked">
      <h2 id="review-asked">Reviewers</h2>
      {requests.length > 0 && (
        <ul class="items">
          {requests.map(({ username, requestedBy, note, isAnswered, counts }) => (
            <li class="item">
              <div class="item-main">
                <span class="item-title">{username}</span>
                <p class="item-facts">
                  <span>{isAnswered ? 'has answered' : 'has not answered yet'}</span>
                  {!counts && (
                    <span>can’t approve for the protection until an admin asks here</span>
                  )}
                  {note !== null && (
                    <span>
                      {askerOf(requestedBy, viewer)} asked: “{note}”
                    </span>
                  )}
                </p>
              </div>
              {rights.ask && (
                <div class="item-end">
                  <ButtonForm
                    action={`${path}/withdraw`}
                    fields={{ document: document.id, username }}
                    label="Withdraw"
                    name={`Withdraw the request to ${username}`}
                    class="quiet"
                  />
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
      {rights.ask && (
        <form class="invite-form" method="post" action={`${path}/request`}>
          <DocumentField document={document} />
          <div class="form-row">
            <div class="field username-field">
              <label for="review-username">Ask by username</label>
              <input
                type="text"
                id="review-username"
                name="username"
                value={form.username}
                required
                maxLength={39}
                autocomplete="off"
                autocapitalize="none"
                spellcheck={false}
                aria-invalid={fault ? 'true' : undefined}
                aria-describedby={fault ? 'review-username-fault' : undefined}
                data-completes="usernames"
              />
            </div>
            <div class="field">
              <label for="review-note">Note (optional)</label>
              <input type="text" id="review-note" name="note" maxLength={500} autocomplete="off" />
            </div>
            <button type="submit" class={isOwnAct(page) ? 'primary' : 'secondary'}>
              Ask for review
            </button>
          </div>
          <p class="hint">
            Anyone who can read this {document.kind} and its comments can be asked.
          </p>
          <Notes id="review-username" fault={fault} />
        </form>
      )}
    </section>
  );
}

/** Names the author of a request's note. */
function askerOf(requestedBy: string | null, viewer: string): string {
  if (requestedBy === null) return 'A deleted account';
  return requestedBy === viewer ? 'You' : requestedBy;
}

/** Lists addresses in a sentence. */
export function inWords(addresses: readonly string[]): string {
  return new Intl.ListFormat('en').format(addresses);
}

function Protection({ page }: { page: ReviewPage }): JSX.Element | null {
  const { document, protection, rights } = page;
  const { isOn, isInherited, twoPeople, left } = protection;
  if (!isOn && !rights.configure) return null;
  const { kind } = document;
  const path = `${documentPath('review', document)}/protection`;
  return (
    <section aria-labelledby="review-protection">
      <h2 id="review-protection">Protection</h2>
      <p class="aside">
        {isOn
          ? `This ${kind} is protected${isInherited ? ' by its organization' : ''}: it becomes ` +
            `public only after ${page.isOfOrganization ? 'an admin of the organization' : 'its owner'}, ` +
            'or a reviewer whom they asked here, has approved its text here. While it is public, ' +
            'its text changes only by suggestions that an admin accepts.'
          : `Not protected: admins can make this ${kind} public without an approval.`}
        {isOn && twoPeople && ' Who wrote unapproved words can’t approve them alone.'}
      </p>
      {rights.configure && !isInherited && (
        <>
          {isOn && (
            <p class="aside">
              Without the protection, texts that no one has read can become public, at this address
              {left.length > 0 && ` and at ${inWords(left)}`} too, also by agents with an admin’s
              token.
            </p>
          )}
          <div class="form-actions">
            <ButtonForm
              action={path}
              fields={{ document: document.id, protected: isOn ? 'off' : 'on' }}
              label={isOn ? 'End the protection' : 'Protect'}
              leaves={isOn}
            />
            {isOn && !page.isOfOrganization && (
              <ButtonForm
                action={path}
                fields={{ document: document.id, twoPeople: twoPeople ? 'off' : 'on' }}
                label={twoPeople ? 'Let authors approve alone' : 'Require a second person'}
                leaves={twoPeople}
                class="quiet"
              />
            )}
          </div>
        </>
      )}
    </section>
  );
}
