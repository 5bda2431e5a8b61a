import { buffer } from 'node:stream/consumers';
import type { FastifyRequest } from 'fastify';
import { VISIBILITIES, type Visibility } from '../../document/access.ts';
import type { DocumentInput } from '../../document/document-input.ts';
import type { DocumentRow } from '../../document/document-store.ts';
import { KINDS, type Kind } from '../../document/kind.ts';
import { FieldError, ServiceError } from '../../errors.ts';
import { orBadForm } from '../../http/form-parts.ts';
import { isStorableText } from '../../schema/fields.ts';
import { type Faults, faultsOf, readForm } from '../form.ts';
import { formatSize } from '../pages/format.tsx';
import { dropForm, isTooLong, readMultipart } from './multipart-form.ts';

const FIELDS = [
  ...(['content', 'name', 'visibility', 'owner', 'etag', 'account'] as const),
  // What the document had when the form was made, so that only what the writer changed is changed.
  ...(['fromName', 'fromVisibility'] as const),
];

/** What the form of the editor sends; '' for what it does not. */
export type EditForm = Record<(typeof FIELDS)[number], string>;

/**
 * Reads the editor's form. A file in the field `file` stands for the content. Texts somewhat over
 * the limit are read whole, for them to be given back with what is wrong.
 *
 * @throws PAYLOAD_TOO_LARGE, BAD_REQUEST for what is no text
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

/** People mean to publish something; the API accepts an empty text. @throws BAD_REQUEST */
export function requireText({ content }: EditForm, kind: Kind): void {
  if (content.trim() !== '') return;
  const field = KINDS[kind].contentField;
  throw new FieldError('BAD_REQUEST', field, `write something first.`);
}

/** What a new document is made with. @throws BAD_REQUEST */
export function newDocumentOf(form: EditForm): DocumentInput & { content: string } {
  return {
    content: form.content,
    ...(form.name.trim() !== '' && { name: form.name }),
    ...(form.visibility !== '' && { visibility: readVisibility(form.visibility) }),
  };
}

/**
 * What a form changes of a document: the content in any case, the rest where the writer chose
 * something else than the form showed at first.
 */
export function changesOf(form: EditForm, document: DocumentRow): DocumentInput {
  const { content, name, visibility } = newDocumentOf(form);
  return {
    content,
    ...((name ?? '') !== (form.fromName || document.name) && { name: name ?? '' }),
    ...(visibility !== undefined &&
      visibility !== (form.fromVisibility || document.visibility) && { visibility }),
  };
}

/** A form over a newer state of its document: what the writer did not touch is as it is now. */
export function rebased(form: EditForm, { name, visibility }: DocumentRow): EditForm {
  return {
    ...form,
    ...(form.name === form.fromName && { name }),
    ...(form.visibility === form.fromVisibility && { visibility }),
    ...{ fromName: name, fromVisibility: visibility },
  };
}

/** What is wrong, by field; the content is `content` for every kind. */
export function editFaultsOf(error: ServiceError, kind: Kind): Faults {
  const { [KINDS[kind].contentField]: content, ...faults } = faultsOf(error);
  return content === undefined ? faults : { ...faults, content };
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
  return new FieldError('BAD_REQUEST', 'content', 'must be UTF-8 text, without null characters.');
}

function tooLarge(kind: Kind): ServiceError {
  const most = formatSize(KINDS[kind].contentLimitBytes);
  return new FieldError(
    'PAYLOAD_TOO_LARGE',
    'content',
    `is too large; a ${kind} may have ${most}. Go back, shorten it, and save again.`,
  );
}
