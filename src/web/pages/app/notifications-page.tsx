import { WATCH_LEVELS, type WatchLevel } from '../../../document/feed/concerned.ts';
import { shownTitle } from '../../../document/shown-title.ts';
import { documentPath, type Titled } from '../../app/addresses.ts';
import { Trail } from '../trail.tsx';
import { Choice, ChoicesForm } from './access-forms.tsx';
import type { AppPage } from './app-page.tsx';
import { PageHead } from './parts.tsx';

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
            {WATCH_LEVELS.map((each) => (
              <Choice
                name="level"
                value={each}
                id={`level-${each}`}
                label={WATCH_CHOICES[each].label}
                hint={WATCH_CHOICES[each].hint}
                isChosen={each === level}
              />
            ))}
          </ChoicesForm>
        </div>
      </div>
    ),
  };
}
