import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { presentFile, UploadedFile } from '../../file/file-schema.ts';
import { listOwnFiles, removeFile, saveUpload, storeUpload } from '../../file/file-service.ts';
import { PageQuery, pageRequest } from '../../pagination/result-page-schema.ts';
import { invalidArgument } from '../arguments.ts';
import { PageResult, pageSummary, presentPage } from '../paging.ts';
import { defineTool } from '../tool.ts';

export const listFiles = defineTool({
  name: 'list_files',
  title: 'List your files',
  description: 'Lists the files that you uploaded, with their addresses.',
  scope: 'documents:read',
  effect: { reads: true },
  input: Type.Object(PageQuery, { additionalProperties: false }),
  output: PageResult(UploadedFile),
  handler: async ({ context, actor, input }) => {
    const page = pageRequest(input);
    const found = await listOwnFiles(context, actor, page);
    const data = presentPage(found, page, (file) => presentFile(context.renderUrl, file));
    return { summary: pageSummary('Your files', data), data };
  },
});

export const uploadFile = defineTool({
  name: 'upload_file',
  title: 'Upload a file',
  description:
    'Stores an image (JPEG, PNG, GIF, WebP), a PDF or a text for briefs to embed, and returns its ' +
    'address. Anyone who has the address can get the file. A call can have 6 MB in all, so a file ' +
    'about 4.4 MB; send larger ones, up to 10 MB, to the API (POST /user/files).',
  scope: 'documents:write',
  effect: {},
  input: Type.Object(
    {
      name: Type.String({
        description: 'The file’s name. Its extension must match the bytes.',
        examples: ['plot.png'],
      }),
      data: Type.Optional(Type.String({ description: 'The bytes, in base64. This or text.' })),
      text: Type.Optional(Type.String({ description: 'The text of a text file. This or data.' })),
      content_type: Type.Optional(
        Type.String({
          description: 'The media type. It must match the bytes.',
          examples: ['image/png'],
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ file: UploadedFile }),
  argumentNames: { file: ['data', 'text'], filename: 'name' },
  handler: async ({ context, actor, input }) => {
    const stored = await storeUpload(context, {
      name: input.name,
      claimedType: input.content_type ?? '',
      bytes: Readable.from(bytesOf(input), { objectMode: false }),
    });
    const file = presentFile(context.renderUrl, await saveUpload(context, actor, stored));
    return { summary: `The file is at ${file.url}`, data: { file } };
  },
});

export const deleteFile = defineTool({
  name: 'delete_file',
  title: 'Delete a file',
  description: 'Deletes one of your files for good. Documents that embed it no longer show it.',
  scope: 'documents:write',
  effect: { destroys: true, repeatable: true },
  input: Type.Object(
    { file_id: Type.String({ description: 'The file’s id, from list_files.' }) },
    { additionalProperties: false },
  ),
  output: Type.Object({ deleted: Type.Boolean() }),
  argumentNames: { id: 'file_id' },
  handler: async ({ context, actor, input }) => {
    await removeFile(context, actor, input.file_id);
    return { summary: 'The file is deleted.', data: { deleted: true } };
  },
});

/** @throws BAD_REQUEST unless there is either text or well-formed base64 */
function bytesOf({ data, text }: { data?: string; text?: string }): Buffer {
  if (text !== undefined && data === undefined) return Buffer.from(text);
  if (data === undefined || text !== undefined) {
    throw invalidArgument('data', 'give either this or text');
  }
  // The decoder would skip whatever it does not know.
  if (data.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) {
    throw invalidArgument('data', 'must be base64 (RFC 4648, with padding)');
  }
  return Buffer.from(data, 'base64');
}
