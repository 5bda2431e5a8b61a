/** What the page tells its script of the document that is written. */
export interface Settings {
  kind: 'brief' | 'page';
  /** Whose drafts may be shown. */
  accountId: string;
  /** Absent while the document is new. */
  documentId?: string;
  /** Who saved the document last, and when (ISO 8601). */
  savedBy?: string;
  savedAt?: string;
  /** Whether the page shows what was sent and not saved, and not what the service has. */
  isSent?: boolean;
  /** Where a new one of this kind is made. */
  newPath: string;
  /** Where HTML that is not saved can be shown. */
  previewUrl: string;
}

/** The form and the parts of the page that the editor works with. */
export interface Parts {
  form: HTMLFormElement;
  textarea: HTMLTextAreaElement;
  name: HTMLInputElement;
  /** Absent where the writer may not change it. */
  visibility: HTMLSelectElement | null;
  /** Only while the document is new. */
  owner: HTMLSelectElement | null;
  etag: HTMLInputElement;
  /** The name and the visibility that the document had when the page came. */
  fromName: HTMLInputElement;
  fromVisibility: HTMLInputElement;
  notices: HTMLElement;
  state: HTMLElement;
  settings: Settings;
  /** Lets the editor's styles in. */
  nonce: string;
}

/** @throws Error where the page is another one */
export function readParts(): Parts {
  const form = one<HTMLFormElement>(document, '#editor');
  return {
    form,
    textarea: one(form, 'textarea[name="content"]'),
    name: one(form, '[name="name"]'),
    visibility: form.querySelector('select[name="visibility"]'),
    owner: form.querySelector('select[name="owner"]'),
    etag: one(form, '[name="etag"]'),
    fromName: one(form, '[name="fromName"]'),
    fromVisibility: one(form, '[name="fromVisibility"]'),
    notices: one(form, '#editor-notices'),
    state: one(form, '#save-state'),
    settings: JSON.parse(form.dataset.settings ?? '{}'),
    nonce: form.nonce,
  };
}

/** The first element that a selector finds. @throws Error where there is none */
export function one<Found extends Element>(within: ParentNode, selector: string): Found {
  const found = within.querySelector<Found>(selector);
  if (!found) throw new Error(`The page has no ${selector}.`);
  return found;
}
