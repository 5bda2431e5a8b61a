import { buffer } from 'node:stream/consumers';
import type { FastifyRequest } from 'fastify';
import { FieldError, ServiceError } from '../../base/errors.ts';
import { isStorableText } from '../../base/schema/fields.ts';
import { KINDS, type Kind } from '../../base/schema/kind.ts';
import { VISIBILITIES, type Visibility } from '../../base/schema/visibility.ts';
import { formatSize } from '../../base/text/size.ts';
import type { DocumentInput } from '../../core/document/document-input.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { orBadForm } from '../../surfaces/http/form-parts.ts';
import { readForm } from '../../surfaces/web/form.ts';
import { dropForm, isTooLong, readMultipart } from '../../surfaces/web/multipart-form.ts';

const FIELDS = [
  ...(['content', 'name', 'visibility', 'owner', 'etag', 'account'] as const),
  // The values when the form was rendered, so that saving changes only what the writer changed.
  ...(['fromName', 'fromVisibility'] as const),
  // `details` if a script saves only the name and who can read it.
  ...(['only'] as const),
  // Only in proposals.
  ...(['baseRevision', 'message'] as const),
  // `suggestions` if each passage is proposed by itself.
  ...(['as'] as const),
  // The id of the document; '' for a new one.
  ...(['document'] as const),
];

/** The fields of the editor's form; '' for missing ones. */
export type EditForm = Record<(typeof FIELDS)[number], string>;

/**
 * Reads the editor's form. A file in the field `file` replaces the content. Texts slightly over the
 * limit are still read, so that the form can show them again with the error.
 *
 * @throws PAYLOAD_TOO_LARGE; BAD_REQUEST if the content is not text
 */
export async function readEditForm(request: FastifyRequest, kind: Kind): Promise<EditForm> {
  const limitBytes = 1.5 * KINDS[kind].contentLimitBytes;
  if (isTooLong(request, 2 * limitBytes)) {
    dropForm(request);
    throw tooLarge(kind);
  }
  let file: string | undefined;
  const fields = await readMultipart(request, {
    limitBytes,
    fileLimitBytes: limitBytes,
    onFile: async ({ field, bytes }) => {
      const read = await buffer(orBadForm(bytes));
      if ((bytes as { truncated?: boolean }).truncated) throw tooLarge(kind);
      if (field === 'file') file = decode(read);
    },
  }).catch((error) => {
    throw error instanceof ServiceError && error.status === 413 ? tooLarge(kind) : error;
  });
  const form = readForm(fields, FIELDS);
  if (file !== undefined) form.content = file;
  if (!isStorableText(form.content)) throw notText();
  return form;
}

/** Refuses an empty text. The API accepts one, but here it is a mistake. @throws BAD_REQUEST */
export function requireText({ content }: EditForm, kind: Kind): void {
  if (content.trim() !== '') return;
  const field = KINDS[kind].contentField;
  throw new FieldError('BAD_REQUEST', field, `write something first.`);
}

/** Returns the fields of a new document. @throws BAD_REQUEST */
export function newDocumentOf(form: EditForm): DocumentInput & { content: string } {
  return {
    content: form.content,
    ...(form.name.trim() !== '' && { name: form.name }),
    ...(form.visibility !== '' && { visibility: readVisibility(form.visibility) }),
  };
}

/**
 * Returns the changes a form makes to a document: the content, unless a script sends
 * it otherwise, and other fields only if the writer changed them.
 */
export function changesOf(form: EditForm, document: DocumentRow): DocumentInput {
  const { content, name, visibility } = newDocumentOf(form);
  return {
    ...(form.only !== 'details' && { content }),
    ...((name ?? '') !== (form.fromName || document.name) && { name: name ?? '' }),
    ...(visibility !== undefined &&
      visibility !== (form.fromVisibility || document.visibility) && { visibility }),
  };
}

/** Rebases a form on its document's newer state: fields that the writer did not touch follow it. */
export function rebased(form: EditForm, { name, visibility }: DocumentRow): EditForm {
  return {
    ...form,
    ...(form.name === form.fromName && { name }),
    ...(form.visibility === form.fromVisibility && { visibility }),
    fromName: name,
    fromVisibility: visibility,
  };
}

function readVisibility(text: string): Visibility {
  const visibility = VISIBILITIES.find((each) => each === text);
  if (visibility) return visibility;
  throw new FieldError('BAD_REQUEST', 'visibility', `must be one of ${VISIBILITIES.join(', ')}.`);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).split('\r\n').join('\n');
  } catch {
    throw notText();
  }
}

function notText(): ServiceError {
  return new FieldError('BAD_REQUEST', 'content', 'must be UTF-8 text without NUL characters.');
}

function tooLarge(kind: Kind): ServiceError {
  const most = formatSize(KINDS[kind].contentLimitBytes);
  return new FieldError(
    'PAYLOAD_TOO_LARGE',
    'content',
    `this ${kind} is larger than ${most}. Go back, shorten it, and save again.`,
  );
}
