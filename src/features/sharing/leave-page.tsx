import { shownTitle } from '../../core/document/shown-title.ts';
import { documentPath, leavePath, type Titled } from '../../surfaces/web/addresses.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { dialogScreen } from '../../surfaces/web/pages/dialog-screen.tsx';
import { ConfirmForm } from '../../surfaces/web/pages/parts.tsx';
import { EndingOffers } from '../invitations/ending-offers.tsx';
import type { OfferRow } from '../invitations/offer-store.ts';

/**
 * Asks for confirmation before a collaborator leaves a document.
 *
 * @param ending what ends with the collaboration
 */
export function leavePage(document: Titled, ending: readonly OfferRow[]): AppPage {
  const title = `Leave ${shownTitle(document)}?`;
  return dialogScreen({
    title,
    children: (
      <>
        <p>This ends the access that you were given. To come back, you need a new invitation.</p>
        <EndingOffers maker={undefined} offers={ending} />
        <ConfirmForm
          action={leavePath(document)}
          fields={{ document: document.id }}
          label={`Leave this ${document.kind}`}
          back={documentPath('read', document)}
        />
      </>
    ),
  });
}
