import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { invalidArgument } from '../../surfaces/mcp/arguments.ts';
import { Choice } from '../../surfaces/mcp/choice.ts';
import { OptionalText } from '../../surfaces/mcp/optional-text.ts';
import {
  AnyObject,
  PageArgument,
  pageOf,
  pageSummary,
  presentPage,
} from '../../surfaces/mcp/paging.ts';
import { defineTool, type ToolRequest } from '../../surfaces/mcp/tool.ts';
import { presentFile } from '../files/file-schema.ts';
import { listOwnFiles, removeFile, saveUpload, storeUpload } from '../files/file-service.ts';
import { issueFileTicket } from './ticket-service.ts';
import { ticketAnswer } from './upload.ts';

const Input = Type.Object(
  {
    action: Choice(['list', 'upload', 'delete']),
    name: OptionalText({ description: 'upload: its extension must match the bytes.' }),
    data: Type.Optional(
      Type.String({ description: 'upload: the bytes, in base64, or a data: address.' }),
    ),
    text: Type.Optional(Type.String({ description: 'upload: the text of a text file.' })),
    content_type: OptionalText(),
    file_id: OptionalText({ description: 'delete: from list.' }),
    ...PageArgument,
  },
  { additionalProperties: false },
);
type Input = Type.Static<typeof Input>;

export const files = defineTool({
  name: 'files',
  title: 'Upload files for documents to embed',
  description:
    'Uploads an image (JPEG, PNG, GIF, WebP), PDF or text and returns its address, where anyone ' +
    'can read it, for briefs and as `<img src>` in pages; lists your files; deletes one permanently. Without data and text, upload ' +
    'returns an address for one `curl -T FILE`, up to 10 MB.',
  scope: 'documents:read',
  scopeOf: ({ action }) =>
    action === 'upload' || action === 'delete' ? 'documents:write' : 'documents:read',
  otherScopes: ['documents:write'],
  effect: { destroys: true },
  input: Input,
  output: Type.Object({
    list: Type.Optional(AnyObject),
    file: Type.Optional(AnyObject),
    deleted: Type.Optional(Type.Boolean()),
    upload: Type.Optional(AnyObject),
  }),
  argumentNames: { file: ['data', 'text'], filename: 'name', id: 'file_id' },
  handler: (asked) => DEEDS[asked.input.action](asked),
});

const DEEDS = {
  list: async ({ call, input }: ToolRequest<Input>) => {
    const page = pageOf(input);
    const found = await listOwnFiles(call, page);
    const list = presentPage(found, page, (file) => presentFile(call.renderUrl, file));
    return { summary: pageSummary('Your files', list), data: { list } };
  },
  upload: async ({ call, input }: ToolRequest<Input>) => {
    const { name } = input;
    if (name === undefined) throw invalidArgument('name', 'is needed to upload');
    const claimedType = input.content_type ?? '';
    if (input.data === undefined && input.text === undefined) {
      return ticketAnswer(await issueFileTicket(call, { name, claimedType }));
    }
    const stored = await storeUpload(call, {
      name,
      claimedType,
      bytes: Readable.from(bytesOf(input), { objectMode: false }),
    });
    const file = presentFile(call.renderUrl, await saveUpload(call, stored));
    return { summary: `The file is at ${file.url}`, data: { file } };
  },
  delete: async ({ call, input }: ToolRequest<Input>) => {
    const { file_id: id } = input;
    if (id === undefined) throw invalidArgument('file_id', 'is needed to delete');
    await removeFile(call, id);
    return { summary: 'The file was deleted.', data: { deleted: true } };
  },
};

/** Returns the bytes to store. @throws BAD_REQUEST if both are given or the base64 is malformed */
function bytesOf({ data: given, text }: { data?: string; text?: string }): Buffer {
  const data = given?.replace(/^data:[^,]*;base64,/i, '');
  if (text !== undefined && data === undefined) return Buffer.from(text);
  if (data === undefined || text !== undefined) {
    throw invalidArgument('data', 'give either this or text');
  }
  // The decoder would skip unknown characters.
  if (data.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) {
    throw invalidArgument('data', 'must be base64 (RFC 4648, with padding)');
  }
  return Buffer.from(data, 'base64');
}
