import { Type } from 'typebox';
import { readOneFile } from '../../surfaces/rest/one-file-form.ts';
import { type Api, addOperation, listAnswer, NO_CONTENT } from '../../surfaces/rest/operation.ts';
import { presentFile, UploadedFile } from './file-schema.ts';
import {
  discardUpload,
  FILE_LIMIT_BYTES,
  listOwnFiles,
  removeFile,
  saveUpload,
  storeUpload,
} from './file-service.ts';
import { tooLarge } from './inspect.ts';

const FIELD = 'file';

/** Adds the routes of files (decisions, part "File uploads"). Their plugin accepts forms. */
export function addFileOperations(api: Api): void {
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
    sends: { 201: ['Location'] },
    errors: [413, 422],
    handler: async ({ context, actor, request }) => {
      const stored = await readOneFile(request, {
        field: FIELD,
        limitBytes: FILE_LIMIT_BYTES,
        tooLarge: () => tooLarge(FILE_LIMIT_BYTES),
        store: (upload) => storeUpload(context, upload),
        discard: (upload) => discardUpload(context, upload),
      });
      const file = await saveUpload(context, actor, stored);
      return { status: 201, data: present(file), location: `/user/files/${file.id}` };
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
