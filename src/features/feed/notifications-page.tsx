import { shownTitle } from '../../core/document/shown-title.ts';
import type { WatchLevel } from '../../core/event/concerned.ts';
import { documentPath, type Titled } from '../../surfaces/web/addresses.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { PageHead } from '../../surfaces/web/pages/parts.tsx';
import { Trail } from '../../surfaces/web/pages/trail.tsx';
import { Choices, ChoicesForm } from '../sharing/access-forms.tsx';

export const WATCH_CHOICES = {
  all: { label: 'Everything', hint: 'Every change, comment and review.' },
  mentions: {
    label: 'Mentions',
    hint: 'Comments that mention you, and requests for your review.',
  },
  none: { label: 'Nothing', hint: 'Nothing about this document reaches your inbox.' },
} as const satisfies Record<WatchLevel, { label: string; hint: string }>;

/** Lets the reader choose which events of a document get into the inbox. */
export function notificationsPage(document: Titled, level: WatchLevel): AppPage {
  const { kind, ownerNamespace, name, title } = document;
  const heading = `Notifications about ${shownTitle(document)}`;
  return {
    title: heading,
    trail: <Trail owner={ownerNamespace} name={name} title={title} />,
    children: (
      <div class="sheet narrow">
        <PageHead title={heading}>
          <a class="quiet small" href={documentPath('read', document)}>
            Back to the {kind}
          </a>
        </PageHead>
        <div data-dialog-content="Notifications">
          <ChoicesForm
            action={documentPath('notifications', document)}
            legend="What gets into your inbox"
            button="Change notifications"
            fields={{ document: document.id }}
          >
            <Choices name="level" options={WATCH_CHOICES} chosen={level} />
          </ChoicesForm>
        </div>
      </div>
    ),
  };
}
