import { Readable } from 'node:stream';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Context } from '../../context.ts';
import { FieldError, type ServiceError } from '../../errors.ts';
import { presentFile, UploadedFile } from '../../file/file-schema.ts';
import {
  discardUpload,
  FILE_LIMIT_BYTES,
  listOwnFiles,
  removeFile,
  type StoredUpload,
  saveUpload,
  storeUpload,
} from '../../file/file-service.ts';
import { tooLarge } from '../../file/inspect.ts';
import { formParts, namesFirstType, orBadForm } from '../../http/form-parts.ts';
import { type Api, addOperation, listAnswer, NO_CONTENT } from '../operation.ts';

const FIELD = 'file';

/** The size of a form without its file: boundaries and the part's headers. */
const FORM_OVERHEAD_BYTES = 64 * 1024;

/**
 * Routes of files (decisions, part "File uploads"). In a plugin, so that only these accept forms.
 */
export function addFileRoutes(api: Api) {
  return async (app: FastifyInstance): Promise<void> => {
    // One more than allowed, so that a second file is refused and not silently dropped.
    await app.register(multipart, {
      limits: { files: 2, fields: 1, parts: 3, fileSize: FILE_LIMIT_BYTES + 1 },
      throwFileSizeLimit: false,
    });
    addRoutes({ ...api, app });
  };
}

function addRoutes(api: Api): void {
  const tag = 'Files';
  const present = presentFile.bind(undefined, api.context.renderUrl);

  addOperation(api, {
    method: 'GET',
    scope: 'documents:read',
    path: '/user/files',
    id: 'listOwnFiles',
    tag,
    summary: 'List your files',
    description: 'The files you uploaded.',
    paginated: true,
    answers: { 200: Type.Array(UploadedFile) },
    errors: [400],
    handler: async ({ context, actor, page }) =>
      listAnswer(await listOwnFiles(context, actor, page), present),
  });

  addOperation(api, {
    method: 'POST',
    scope: 'documents:write',
    path: '/user/files',
    id: 'uploadFile',
    tag,
    summary: 'Upload a file',
    description:
      'One JPEG, PNG, GIF, WebP, PDF, plain text or Markdown file of at most 10 MB, for use in ' +
      'documents. The type is detected from the bytes. A claimed type or a file name extension that ' +
      'contradicts them is refused with 422: text named `x.png`, or any file named `x.html` or ' +
      '`x.zip`. A missing or unknown extension is ignored.',
    form: Type.Object(
      { [FIELD]: Type.String({ format: 'binary', description: 'The file.' }) },
      { title: 'UploadFile', required: [FIELD] },
    ),
    answers: { 201: UploadedFile },
    errors: [400, 413, 422],
    handler: async ({ context, actor, request }) => {
      const file = await saveUpload(context, actor, await readForm(context, request));
      return { status: 201, data: present(file) };
    },
  });

  addOperation(api, {
    method: 'DELETE',
    scope: 'documents:write',
    path: '/user/files/{id}',
    id: 'deleteFile',
    tag,
    summary: 'Delete a file',
    description: 'Its URL stops working.',
    answers: { 204: null },
    errors: [404],
    handler: async ({ context, actor, params }) => {
      await removeFile(context, actor, params.id);
      return NO_CONTENT;
    },
  });
}

/**
 * Stores the file of a form. If this throws, nothing is stored.
 *
 * @throws BAD_REQUEST unless the form is well-formed and contains only this file; errors of
 *   {@link storeUpload}
 */
async function readForm(context: Context, request: FastifyRequest): Promise<StoredUpload> {
  if (Number(request.headers['content-length'] ?? 0) > FILE_LIMIT_BYTES + FORM_OVERHEAD_BYTES) {
    throw tooLarge(FILE_LIMIT_BYTES);
  }
  // A form has at most one part here.
  const isTyped = !request.isMultipart() || (await namesFirstType(request.raw));
  let stored: StoredUpload | undefined;
  try {
    for await (const part of formParts(request)) {
      if (stored) throw badForm('must have one file and nothing else');
      // Undefined, despite its type, if the part has no name.
      const field: string | undefined = part.fieldname;
      if (part.type !== 'file' || field !== FIELD) {
        throw badForm(
          `${field?.slice(0, 100) ?? 'a part without a name'}: is not a known field; the file goes in "${FIELD}"`,
        );
      }
      stored = await storeUpload(context, {
        name: part.filename ?? '',
        claimedType: isTyped ? part.mimetype : '',
        bytes: Readable.from(orBadForm(part.file), { objectMode: false }),
      });
    }
    if (!stored) throw badForm(`${FIELD}: is required`);
    return stored;
  } catch (error) {
    if (stored) await discardUpload(context, stored);
    throw error;
  }
}

function badForm(problem: string): ServiceError {
  return new FieldError('BAD_REQUEST', 'body', `${problem}.`);
}
