import type { JSX } from 'preact';
import { LINK_LIMITS } from '../../core/document/link.ts';
import type { LinkRow } from '../../core/document/link-store.ts';
import type { HiddenThreads } from '../../core/review/opening-service.ts';
import { documentPath } from '../../surfaces/web/addresses.ts';
import { Day } from '../../surfaces/web/pages/format.tsx';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import { ButtonForm, CopyLine, DocumentField } from '../../surfaces/web/pages/parts.tsx';
import { hiddenInWords } from '../review/hidden-threads.tsx';
import type { SharePage } from './share-state.ts';

/** Days until a link expires, by the values of the form's menu. */
export const LINK_DAYS = { never: undefined, d1: 1, d7: 7, d30: 30, d90: 90 } as const;

const ENDS = {
  never: 'Never',
  d1: 'In a day',
  d7: 'In 7 days',
  d30: 'In 30 days',
  d90: 'In 90 days',
} as const satisfies Record<keyof typeof LINK_DAYS, string>;

const ACCESS_LABELS = { read: 'Can read', comment: 'Can comment' } as const;

/** Renders a new link. This is the only time that its address is shown. */
export function NewLink(props: { url: string; hidden: HiddenThreads | undefined }): JSX.Element {
  const { url, hidden } = props;
  return (
    <section class="new-link" aria-labelledby="share-new-link" role="status">
      <h2 id="share-new-link">Secret link</h2>
      <CopyLine text={url} label="Secret link" button="Copy secret link" />
      <p class="hint">
        Copy it now. It won’t be shown again.
        {hidden && ` ${hiddenInWords(hidden)} You can show them below.`}
      </p>
    </section>
  );
}

/** Lists the secret links of a document, with the form that creates one. */
export function LinkList({ page }: { page: SharePage }): JSX.Element | null {
  const { links, document } = page;
  const isPublic = document.visibility === 'public';
  if (!links || (isPublic && links.length === 0)) return null;
  const path = documentPath('share', document);
  return (
    <section aria-labelledby="share-links">
      <h2 id="share-links">Secret links</h2>
      {links.length > 0 && (
        <ul class="items">
          {links.map((link) => (
            <LinkItem document={document.id} path={path} link={link} />
          ))}
        </ul>
      )}
      {!isPublic && <LinkForm page={page} />}
    </section>
  );
}

function LinkItem(row: { document: string; path: string; link: LinkRow }): JSX.Element {
  const { document, path, link } = row;
  const { id, note, access, createdByUsername, createdAt, expiresAt } = link;
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
          <span>
            Created by {createdByUsername} <Day at={createdAt} />
          </span>
          {expiresAt !== null && (
            <span>
              Expires <Day at={expiresAt} />
            </span>
          )}
        </p>
      </div>
      <div class="item-end">
        <ButtonForm
          action={`${path}/links/revoke`}
          fields={{ document, link: id }}
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
  return (
    <details class="link-form">
      <summary class="secondary small">New secret link</summary>
      <form class="form" method="post" action={`${documentPath('share', document)}/links`}>
        <DocumentField document={document} />
        <div class="field">
          <label for="link-access">People with the link</label>
          <select id="link-access" name="access" autocomplete="off">
            <option value="read">Can read</option>
            <option value="comment">Can comment, once they are signed in</option>
          </select>
        </div>
        <div class="field">
          <label for="link-ends">Expires</label>
          <select id="link-ends" name="days" autocomplete="off">
            {Object.entries(ENDS).map(([days, label]) => (
              <option value={days}>{label}</option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="link-note">Note</label>
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
