export interface Settings {
  kind: 'brief' | 'page';
  /** The account whose drafts can be shown. */
  accountId: string;
  /** Absent while the document is new. */
  documentId?: string;
  /** The revision whose text the page shows. */
  version?: number;
  /** Whether the page shows a text that was submitted but not saved, or comes from a template. */
  isSent?: boolean;
  /** Whether the form proposes the text. It is then submitted as it is, and no draft is stored. */
  isProposal?: boolean;
  /** The path that creates a document of this kind. */
  newPath: string;
  /** The address that previews unsaved HTML. */
  previewUrl: string;
  /** The address of the style sheet of comments in the editor. */
  threadsStyle: string;
}

export interface Parts {
  form: HTMLFormElement;
  textarea: HTMLTextAreaElement;
  name: HTMLInputElement;
  /** Absent if the user can't change it. */
  visibility: HTMLSelectElement | null;
  /** Only while the document is new. */
  owner: HTMLSelectElement | null;
  etag: HTMLInputElement;
  /** The name and the visibility when the page was opened. */
  fromName: HTMLInputElement;
  fromVisibility: HTMLInputElement;
  notices: HTMLElement;
  state: HTMLElement;
  submit: HTMLButtonElement | null;
  settings: Settings;
  /** Allows the editor's styles in the content security policy. */
  nonce: string;
}

/** @throws Error if the page has no editor */
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
    submit: form.querySelector('button[type="submit"]'),
    settings: JSON.parse(form.dataset.settings ?? '{}'),
    nonce: form.nonce,
  };
}

/** Returns the first match of a selector. @throws Error if there is none */
export function one<Found extends Element>(within: ParentNode, selector: string): Found {
  const found = within.querySelector<Found>(selector);
  if (!found) throw new Error(`The page has no ${selector}.`);
  return found;
}
