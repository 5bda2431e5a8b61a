import { Type } from 'typebox';
import { list, make, remove } from '../../surfaces/rest/endpoints.ts';
import { readOneFile } from '../../surfaces/rest/one-file-form.ts';
import type { Api } from '../../surfaces/rest/operation.ts';
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

  list(api, {
    scope: 'documents:read',
    path: '/user/files',
    id: 'listOwnFiles',
    tag,
    summary: 'List your files',
    description: 'The files you uploaded.',
    items: UploadedFile,
    find: ({ call, page }) => listOwnFiles(call, page),
    present: present,
  });

  make(api, {
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
    answer: UploadedFile,
    errors: [413, 422],
    handler: async ({ call, request }) => {
      const stored = await readOneFile(request, {
        field: FIELD,
        limitBytes: FILE_LIMIT_BYTES,
        tooLarge: () => tooLarge(FILE_LIMIT_BYTES),
        store: (upload) => storeUpload(call, upload),
        discard: (upload) => discardUpload(call, upload),
      });
      const file = await saveUpload(call, stored);
      return { data: present(file), location: `/user/files/${file.id}` };
    },
  });

  remove(api, {
    scope: 'documents:write',
    path: '/user/files/{id}',
    id: 'deleteFile',
    tag,
    summary: 'Delete a file',
    description: 'Its URL stops working.',
    errors: [404],
    handler: ({ call, params }) => removeFile(call, params.id),
  });
}
