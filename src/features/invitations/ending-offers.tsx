import type { JSX } from 'preact';
import { INVITED_AS, LEVEL_LABELS } from '../../surfaces/web/pages/access-labels.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { dialogScreen } from '../../surfaces/web/pages/dialog-screen.tsx';
import { ConfirmForm } from '../../surfaces/web/pages/parts.tsx';
import type { OfferRow } from './offer-store.ts';

/** More offers than this are folded. */
const SHOWN_OPEN = 5;

/** More offers than this are only counted. */
const LISTED = 100;

/**
 * Renders what ends when someone loses the right to invite or share: a sentence, and a list. Renders
 * nothing if nothing ends.
 *
 * @param props.maker whose it is; `undefined` for the viewer
 */
export function EndingOffers(props: {
  maker: string | undefined;
  offers: readonly OfferRow[];
}): JSX.Element | null {
  const { maker, offers } = props;
  if (offers.length === 0) return null;
  const whose = maker === undefined ? 'that you made' : `by ${maker}`;
  const list = (
    <ul>
      {offers.slice(0, LISTED).map((offer) => (
        <li>{inWords(offer)}</li>
      ))}
      {offers.length > LISTED && <li>{offers.length - LISTED} more</li>}
    </ul>
  );
  return (
    <>
      <p>
        {counted(offers)} {whose} {offers.length === 1 ? 'ends' : 'end'} with it
        {offers.length > SHOWN_OPEN ? '.' : ':'}
      </p>
      {offers.length > SHOWN_OPEN ? (
        <details>
          <summary>Show which</summary>
          {list}
        </details>
      ) : (
        list
      )}
    </>
  );
}

/** Asks for confirmation before a change of someone's access that ends what they offer others. */
export function endingPage(page: {
  title: string;
  change: string;
  maker: string | undefined;
  offers: readonly OfferRow[];
  form: { action: string; fields: Readonly<Record<string, string>>; label: string };
  /** The address that Cancel leads to. */
  back: string;
}): AppPage {
  const { title, change, maker, offers, form, back } = page;
  return dialogScreen({
    title,
    isQuestion: true,
    children: (
      <>
        <p>{change}</p>
        <EndingOffers maker={maker} offers={offers} />
        <ConfirmForm
          action={form.action}
          fields={{ ...form.fields, confirmed: 'yes' }}
          label={form.label}
          back={back}
        />
      </>
    ),
  });
}

/** Counts offers, as in "2 pending invitations and 1 secret link". */
function counted(offers: readonly OfferRow[]): string {
  const links = offers.filter(({ table }) => table === 'document_link').length;
  const invitations = offers.length - links;
  return [
    invitations > 0 &&
      (invitations === 1 ? '1 pending invitation' : `${invitations} pending invitations`),
    links > 0 && (links === 1 ? '1 secret link' : `${links} secret links`),
  ]
    .filter((part) => part !== false)
    .join(' and ');
}

function inWords(offer: OfferRow): string {
  const { ownerNamespace, to } = offer;
  if (offer.documentId === null) return `${to}, invited as ${INVITED_AS[offer.gives]}`;
  const { documentName, gives, note } = offer;
  const address = `${ownerNamespace}/${documentName}`;
  if (gives === 'comment' || to === null) {
    return `Secret link to ${address}${note === '' ? '' : `: ${note}`}`;
  }
  return `${to}, invited to ${address} (${LEVEL_LABELS[gives].toLowerCase()})`;
}
