import type { Readable } from 'node:stream';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FieldError } from '../../errors.ts';
import { formParts } from '../../http/form-parts.ts';

/** A file of a form; its bytes have to be read before the next part comes. */
export interface FormFile {
  field: string;
  /** As the browser names it. */
  name: string;
  /** The media type that the browser claims. */
  type: string;
  bytes: Readable;
}

/** What a form measures beside what people wrote: boundaries, heads, names. */
const OVERHEAD_BYTES = 64 * 1024;

const MAX_FIELDS = 20;
const SHORT_TEXT_LENGTH = 8 * 1024;
const MAX_FILES = 1000;

/** Lets the surface take forms with long texts and files. */
export async function registerMultipart(app: FastifyInstance): Promise<void> {
  await app.register(multipart, { throwFileSizeLimit: false });
}

/** Whether a form says of itself that it measures more than one that carries so much. */
export function isTooLong({ headers }: FastifyRequest, limitBytes: number): boolean {
  return Number(headers['content-length'] ?? 0) > limitBytes + OVERHEAD_BYTES;
}

/**
 * Reads a `multipart/form-data` form. Browsers end each line of a text with CR LF; here they end
 * with LF, as everywhere else.
 *
 * @param options.limitBytes the most that the text in the field `content` may measure; what is
 *   longer is PAYLOAD_TOO_LARGE. Other texts are short.
 * @param options.fileLimitBytes where each file is cut off (`bytes.truncated` is true then)
 * @param options.onFile takes each file as it comes; without it, files are passed over
 * @returns the texts by field; a field that was sent twice has its last
 */
export async function readMultipart(
  request: FastifyRequest,
  options: {
    limitBytes: number;
    fileLimitBytes?: number;
    onFile?: (file: FormFile) => Promise<void>;
  },
): Promise<Record<string, string>> {
  const fields = new Map<string, string>();
  // A text's lines end in two bytes on the way.
  const fieldSize = 2 * options.limitBytes + 1;
  const limits = {
    fieldSize,
    fileSize: options.fileLimitBytes ?? 0,
    fields: MAX_FIELDS,
    files: MAX_FILES,
    parts: MAX_FIELDS + MAX_FILES,
  };
  for await (const part of formParts(request, { limits })) {
    if (part.type === 'field') {
      if (part.valueTruncated) {
        throw new FieldError('PAYLOAD_TOO_LARGE', part.fieldname, `is over the size limit.`);
      }
      if (part.fieldname !== 'content' && String(part.value).length > SHORT_TEXT_LENGTH) {
        throw new FieldError('BAD_REQUEST', part.fieldname, `is too long.`);
      }
      fields.set(part.fieldname, withLineFeeds(String(part.value)));
    } else if (options.onFile && part.filename) {
      const { fieldname: field, filename: name, mimetype: type, file: bytes } = part;
      await options.onFile({ field, name, type, bytes });
    } else {
      part.file.resume();
    }
  }
  return Object.fromEntries(fields);
}

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

/**
 * Replaces each CR LF by LF. Works on bytes, because a text of millions of line ends blocks the event
 * loop for 100 ms with split and join, and for 300 ms with `replaceAll`.
 */
function withLineFeeds(text: string): string {
  if (!text.includes('\r\n')) return text;
  const bytes = Buffer.from(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === CARRIAGE_RETURN && bytes[at + 1] === LINE_FEED) continue;
    bytes[length++] = byte;
  }
  return bytes.toString('utf8', 0, length);
}

/** Drops a form that nobody reads; it has to arrive for the answer to be read. */
export function dropForm({ raw }: FastifyRequest): void {
  raw.resume();
}

/** Lets the rest of a file go nowhere, so that what follows it can be read. */
export function passOverFile({ bytes }: FormFile): void {
  // The listener makes it flow as soon as whoever reads it now has stopped.
  bytes.on('data', () => {}).resume();
}
