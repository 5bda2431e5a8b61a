import type { JSX } from 'preact';
import type { SeenBy, Visibility } from '../../base/schema/visibility.ts';
import { allowsVisibility } from '../../core/document/access-rules.ts';
import { shownTitle } from '../../core/document/shown-title.ts';
import type { CommentSetting } from '../../core/review/review-access.ts';
import { documentPath } from '../../surfaces/web/addresses.ts';
import { consequenceOf, LEVEL_LABELS, worksFor } from '../../surfaces/web/pages/access-labels.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import {
  ButtonForm,
  CopyLine,
  PageHead,
  visibilityWords,
} from '../../surfaces/web/pages/parts.tsx';
import { Trail } from '../../surfaces/web/pages/trail.tsx';
import { HiddenThreadsState } from '../discussion/hidden-threads.tsx';
import { type ChangedSinceView, changedSincePage } from '../revisions/changed-since-page.tsx';
import { Choice, Choices, ChoicesForm, InviteForm } from './access-forms.tsx';
import { LinkList } from './share-links.tsx';
import { CollaboratorList, InvitationList } from './share-lists.tsx';
import type { SharePage } from './share-state.ts';

/** Shows the Share page. The Share dialog has the same content. */
export function sharePage(page: SharePage): AppPage {
  const { document, mayShare } = page;
  const title = `Share ${shownTitle(document)}`;
  return {
    title,
    names: page.names,
    trail: <Trail owner={document.ownerNamespace} name={document.name} title={document.title} />,
    children: (
      <div class="sheet narrow">
        <PageHead title={title}>
          <a class="quiet small" href={documentPath('read', document)}>
            Back to the {document.kind}
          </a>
        </PageHead>
        <div class="sharing" data-dialog-content="Share">
          <section aria-labelledby={mayShare ? undefined : 'share-visibility'}>
            {mayShare ? <VisibilityForm page={page} /> : <VisibilityInWords page={page} />}
            <LinkList page={page} />
          </section>
          <section aria-labelledby="share-people">
            <h2 id="share-people">People</h2>
            {mayShare && (
              <InviteForm
                id="share"
                action={`${documentPath('share', document)}/people`}
                fields={{ document: document.id }}
                menu={{
                  name: 'permission',
                  label: 'Level',
                  options: LEVEL_LABELS,
                  value: page.invite.permission,
                }}
                username={page.invite.username}
                faults={page.invite.faults}
              />
            )}
            <CollaboratorList page={page} />
            {mayShare && <InvitationList page={page} />}
          </section>
          {page.comments && <CommentsForm document={document} comments={page.comments} />}
          {page.hiddenThreads && (
            <HiddenThreadsState document={document} hidden={page.hiddenThreads} />
          )}
          <div class="share-link">
            <CopyLine text={page.access.url} label="Link" button="Copy link" />
            <p class="hint">{worksFor(document.visibility, page.access)}</p>
          </div>
        </div>
      </div>
    ),
  };
}

/** The choice that anyone with a secret link can read. The visibility stays private or internal. */
export const WITH_LINK = 'link';

const WIDEST_FIRST = ['public', WITH_LINK, 'internal', 'private'] as const;

function VisibilityForm({ page }: { page: SharePage }): JSX.Element {
  const { document, owner } = page;
  const ownerType = owner.organization ? 'organization' : 'user';
  const current = page.access.seenBy;
  const forbidden: readonly string[] = [
    ...(page.mayPublish ? [] : ['public']),
    ...(page.mayLink ? [] : [WITH_LINK]),
  ].filter((each) => each !== current);
  const choices = WIDEST_FIRST.filter(
    (each) =>
      !forbidden.includes(each) && (each === WITH_LINK || allowsVisibility(ownerType, each)),
  );
  const name = owner.organization?.name ?? owner.namespace;
  return (
    <ChoicesForm
      action={`${documentPath('share', document)}/visibility`}
      legend="Who can see this"
      button="Change visibility"
      from={current}
      fields={{ document: document.id, revision: String(page.shown) }}
    >
      {choices.map((visibility) => (
        <Choice
          name="visibility"
          value={visibility}
          id={`share-${visibility}`}
          label={<VisibilityLabel seenBy={visibility} />}
          hint={
            visibility === WITH_LINK
              ? visibilityWords(WITH_LINK).means
              : consequenceOf(visibility, owner)
          }
          isChosen={visibility === current}
        />
      ))}
      {forbidden.includes('public') && <p class="hint">{name} allows no public documents.</p>}
      {forbidden.includes(WITH_LINK) && <p class="hint">{name} lets you make no secret links.</p>}
    </ChoicesForm>
  );
}

/** Shows what has changed since the Share screen was opened, and offers the visibility again. */
export function changedSharePage(
  view: ChangedSinceView,
  { visibility, from }: { visibility: Visibility; from: string },
): AppPage {
  const { document, current } = view;
  return changedSincePage(
    view,
    <ButtonForm
      action={`${documentPath('share', document)}/visibility`}
      fields={{ visibility, from, document: document.id, revision: String(current) }}
      label={`Make revision ${current} ${visibility}`}
      class="primary"
    />,
  );
}

/** The choices for who can comment, with their consequences. */
export const COMMENT_CHOICES = {
  insiders: {
    label: 'People who work on it',
    hint: 'The owner, collaborators, and members of the organization who can read it.',
  },
  readers: {
    label: 'Everyone who can read it',
    hint: 'Once they are signed in. They also see the comments of others.',
  },
  off: { label: 'No one', hint: 'Existing comments stay.' },
} as const satisfies Record<CommentSetting, { label: string; hint: string }>;

function CommentsForm(props: {
  document: SharePage['document'];
  comments: CommentSetting;
}): JSX.Element {
  const { document, comments } = props;
  return (
    <ChoicesForm
      action={`${documentPath('share', document)}/comments`}
      legend="Who can comment"
      button="Change who can comment"
      from={comments}
      fields={{ document: document.id }}
    >
      <Choices name="comments" options={COMMENT_CHOICES} chosen={comments} />
    </ChoicesForm>
  );
}

function VisibilityInWords({ page }: { page: SharePage }): JSX.Element {
  const { document, owner, access } = page;
  const { ownerNamespace, kind, visibility } = document;
  const who = owner.organization ? `Admins of ${owner.organization.name}` : ownerNamespace;
  const { seenBy } = access;
  return (
    <>
      <h2 id="share-visibility">Who can see this</h2>
      <p class="share-state">
        <VisibilityLabel seenBy={seenBy} />
      </p>
      <p class="aside">
        {seenBy === WITH_LINK ? visibilityWords(seenBy).means : consequenceOf(visibility, owner)}
      </p>
      <p class="aside">
        {who} and people with full access can change who can read this {kind}.
      </p>
    </>
  );
}

function VisibilityLabel({ seenBy }: { seenBy: SeenBy }): JSX.Element {
  const { icon, label } = visibilityWords(seenBy);
  return (
    <span class="visibility">
      <Icon name={icon} />
      <span>{label}</span>
    </span>
  );
}
