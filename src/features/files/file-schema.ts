import { Type } from 'typebox';
import { Id, OneOf, Timestamp } from '../../base/schema/fields.ts';
import { FILE_TYPES, type FileType } from './content-type.ts';
import type { FileRow } from './file-store.ts';

const TYPES = Object.keys(FILE_TYPES) as FileType[];

export const UploadedFile = Type.Object(
  {
    id: Id('The file’s id.'),
    name: Type.String({ description: 'The name it was uploaded with.', examples: ['note.txt'] }),
    url: Type.String({
      format: 'uri',
      description: 'Its URL. Anyone who knows it can fetch the file.',
      examples: ['http://localhost:4001/files/Zk9v2mQxT8aLw5Rr0cYbNq1XeUo/note.txt'],
    }),
    contentType: OneOf(
      ['text/plain', ...TYPES.filter((type) => type !== 'text/plain')],
      'What its bytes are.',
    ),
    sizeBytes: Type.Integer({ description: 'Its size, in bytes.', examples: [8] }),
    createdAt: Timestamp('When it was uploaded.'),
  },
  { title: 'File' },
);

/** @param renderUrl `{render_url}` */
export function presentFile(renderUrl: string, file: FileRow) {
  const { id, name, address, contentType, sizeBytes, createdAt } = file;
  const url = `${renderUrl}/files/${address}/${encodeURIComponent(name)}`;
  return { id, name, url, contentType, sizeBytes, createdAt };
}
