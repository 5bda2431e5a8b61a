import type { Readable } from 'node:stream';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FieldError } from '../../base/errors.ts';
import { formParts } from '../http/form-parts.ts';

/** A file of a form. Its bytes must be read before the next part arrives. */
export interface FormFile {
  field: string;
  /** The file name that the browser sent. */
  name: string;
  /** The media type that the browser sent. */
  type: string;
  bytes: Readable;
}

/** The overhead of a form: boundaries, part headers, names. */
const OVERHEAD_BYTES = 64 * 1024;

const MAX_FIELDS = 20;
const SHORT_TEXT_LENGTH = 8 * 1024;
const MAX_FILES = 1000;

/** Enables forms with long texts and files. */
export async function registerMultipart(app: FastifyInstance): Promise<void> {
  await app.register(multipart, { throwFileSizeLimit: false });
}

/** Tells whether a form's Content-Length exceeds this much content plus overhead. */
export function isTooLong({ headers }: FastifyRequest, limitBytes: number): boolean {
  return Number(headers['content-length'] ?? 0) > limitBytes + OVERHEAD_BYTES;
}

/**
 * Reads a `multipart/form-data` form. Converts the CR LF that browsers send in texts to LF.
 *
 * @param options.limitBytes the expected maximum of the field `content`. Because CR LF takes two
 *   bytes, only texts over twice this size are refused. Other fields hold up to 8,192 characters
 * @param options.fileLimitBytes where to truncate each file (`bytes.truncated` is then true)
 * @param options.onFile receives each file as it arrives; without it, files are skipped
 * @returns the texts by field; the last one of a repeated field
 * @throws PAYLOAD_TOO_LARGE if `content` is too long; BAD_REQUEST if another field is; UNAUTHORIZED
 *   if the session ended while the form arrived
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
  // Browsers send each line break as CR LF, so the text can be twice as long on arrival.
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
  await request.requireSession();
  return Object.fromEntries(fields);
}

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

/**
 * Replaces each CR LF with LF. Works on bytes, because split and join or `replaceAll` on a text
 * with millions of lines block the event loop for 100 to 300 ms.
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

/** Discards a form. Browsers read the response only after they have sent all of it. */
export function dropForm({ raw }: FastifyRequest): void {
  raw.resume();
}

/** Discards the rest of a file, so that the next part can be read. */
export function passOverFile({ bytes }: FormFile): void {
  // The listener makes the stream flow once its current reader has stopped.
  bytes.on('data', () => {}).resume();
}
