import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { FairQueue } from '../../base/limits/fair-queue.ts';
import type { Context } from '../../core/context.ts';
import { readerUrl } from '../../core/document/addresses.ts';
import { presentFile } from '../files/file-schema.ts';
import type { FileRow } from '../files/file-store.ts';
import {
  type OpenTicket,
  publishUpload,
  saveUploadedFile,
  type Uploaded,
} from './upload-service.ts';

/** The parts of an upload besides its ticket. */
export interface UploadParts {
  context: Context;
  accountQueue: FairQueue;
}

/** Stores the bytes uploaded with a ticket, and returns their address. */
export async function storeUploaded(
  { context, accountQueue }: UploadParts,
  ticket: OpenTicket,
  body: Readable,
): Promise<object> {
  const { task } = ticket;
  if (task.what === 'file') {
    return presentUploadedFile(context, await saveUploadedFile(context, ticket, task, body));
  }
  const bytes = await buffer(body);
  const publish = () => publishUpload(context, ticket, task, bytes);
  return presentPublication(context, await accountQueue.run(ticket.actor.id, publish));
}

function presentUploadedFile({ renderUrl }: Context, row: FileRow) {
  const file = presentFile(renderUrl, row);
  const label = file.name.replace(/[\\[\]]/g, '\\$&');
  const link = `[${label}](${file.url})`;
  return { ...file, markdown: file.contentType.startsWith('image/') ? `!${link}` : link };
}

function presentPublication({ webUrl }: Context, { isNew, seen }: Uploaded) {
  const { document, etag, merged } = seen;
  const { kind, id, name, ownerNamespace: owner, visibility, version, sizeBytes } = document;
  const url = readerUrl(webUrl, document);
  const state = { visibility, revision: version, etag, sizeBytes };
  return { url, kind, owner, name, id, ...state, created: isNew, merged };
}
