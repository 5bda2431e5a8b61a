import type { JSX } from 'preact';
import { LINK_LIMITS } from '../../core/document/link.ts';
import type { ShownLink } from '../../core/document/shown-link-service.ts';
import { documentPath } from '../../surfaces/web/addresses.ts';
import { DayInput } from '../../surfaces/web/pages/form-field.tsx';
import { Day } from '../../surfaces/web/pages/format.tsx';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import { ButtonForm, CopyButton, DocumentField } from '../../surfaces/web/pages/parts.tsx';
import type { SharePage } from './share-state.ts';

/** Days until a link ends, by the values of the form's menu. */
export const LINK_DAYS = { never: undefined, d1: 1, d7: 7, d30: 30 } as const;

/** The menu's value for another date. */
export const OWN_DATE = 'date';

const ENDS = {
  never: 'Never',
  d1: 'In a day',
  d7: 'In a week',
  d30: 'In a month',
  [OWN_DATE]: 'On a date',
} as const satisfies Record<keyof typeof LINK_DAYS | typeof OWN_DATE, string>;

const ACCESS_LABELS = { read: 'Can read', comment: 'Can comment' } as const;

/** Lists the secret links of a document, with the form that creates one. */
export function LinkList({ page }: { page: SharePage }): JSX.Element | null {
  const { links, document } = page;
  const canCreate = page.mayLink && document.visibility !== 'public';
  if (!links || (!canCreate && links.length === 0)) return null;
  return (
    <section class="share-links" aria-label="Links">
      {links.length > 0 && (
        <ul class="items">
          {links.map((link) => (
            <LinkItem page={page} link={link} />
          ))}
        </ul>
      )}
      {canCreate && <LinkForm page={page} />}
    </section>
  );
}

function LinkItem({ page, link }: { page: SharePage; link: ShownLink }): JSX.Element {
  const { document, access: shown } = page;
  const { id, note, access, createdByUsername, createdAt, expiresAt, url } = link;
  const name = note || ACCESS_LABELS[access];
  return (
    <li class="item person">
      <span class="avatar">
        <Icon name="link" />
      </span>
      <div class="item-main">
        <span class="item-title">{name}</span>
        <p class="item-facts">
          {note !== '' && <span>{ACCESS_LABELS[access]}</span>}
          {link.passwordHash !== null && <span>With a password</span>}
          {expiresAt !== null && (
            <span>
              Expires <Day at={expiresAt} />
            </span>
          )}
          <span>
            Created by {createdByUsername} <Day at={createdAt} />
          </span>
          {url === null && <span>Can’t be shown again</span>}
        </p>
      </div>
      <div class="item-end">
        {/* Share has a button of its own for the other. */}
        {url !== null && url !== shown.url && (
          <CopyButton text={url} name={`Copy the link: ${name}`} />
        )}
        <ButtonForm
          action={`${documentPath('share', document)}/links/revoke`}
          fields={{ document: document.id, link: id }}
          label="Revoke"
          name={`Revoke the link: ${name}`}
          class="quiet"
        />
      </div>
    </li>
  );
}

function LinkForm({ page }: { page: SharePage }): JSX.Element {
  const { document } = page;
  const isFirst = page.links?.length === 0;
  return (
    <details class="link-form">
      <summary class="secondary small">
        {isFirst ? 'Link with expiry or password' : 'Another link'}
      </summary>
      <form class="form" method="post" action={`${documentPath('share', document)}/links`}>
        <DocumentField document={document} />
        <div class="field">
          <label for="link-access">People with the link</label>
          <select id="link-access" name="access" autocomplete="off">
            <option value="read">Can read</option>
            <option value="comment">Can comment, once they are signed in</option>
          </select>
        </div>
        <div class="form-row">
          <div class="field">
            <label for="link-ends">Expires</label>
            <select id="link-ends" name="ends" autocomplete="off">
              {Object.entries(ENDS).map(([value, label]) => (
                <option value={value}>{label}</option>
              ))}
            </select>
          </div>
          <div class="field own-date">
            <label for="link-date">Last day (UTC)</label>
            <DayInput id="link-date" name="date" />
          </div>
        </div>
        <div class="field">
          <label for="link-password">Password (optional)</label>
          <input
            type="text"
            id="link-password"
            name="password"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            aria-describedby="link-password-hint"
          />
          <p class="hint" id="link-password-hint">
            Keep it: it isn’t shown again.
          </p>
        </div>
        <div class="field">
          <label for="link-note">Note (optional)</label>
          <input
            type="text"
            id="link-note"
            name="note"
            maxLength={LINK_LIMITS.note}
            autocomplete="off"
            aria-describedby="link-note-hint"
          />
          <p class="hint" id="link-note-hint">
            For example, who the link is for.
          </p>
        </div>
        {page.isProtected && (
          <p class="hint">
            This {document.kind} is protected: people with the link read every text, also before it
            is approved.
          </p>
        )}
        <div>
          <button type="submit" class="primary">
            Create link
          </button>
        </div>
      </form>
    </details>
  );
}
