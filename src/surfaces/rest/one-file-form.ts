import { Readable } from 'node:stream';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FieldError, type ServiceError } from '../../base/errors.ts';
import { formParts, namesFirstType, orBadForm } from '../http/form-parts.ts';

/** The most bytes of a form besides its file: boundaries and the part's headers. */
const OVERHEAD_BYTES = 64 * 1024;

/** The file of a form, as it arrives. */
export interface FormFile {
  name: string;
  /** The media type that the client sent; empty if it sent none. */
  claimedType: string;
  bytes: Readable;
}

/** How to read a form that has one file and nothing else. */
interface OneFileForm<T> {
  field: string;
  limitBytes: number;
  /** The error for a request that is longer. */
  tooLarge: () => ServiceError;
  /** Reads the file to its end. Receives one byte more than the limit if the file is too large. */
  store: (file: FormFile) => Promise<T>;
  /** Undoes `store`, if the rest of the form is wrong. */
  discard?: (stored: T) => Promise<void>;
}

/** Lets the routes of a plugin accept forms. */
export async function acceptForms(app: FastifyInstance): Promise<void> {
  await app.register(multipart, { throwFileSizeLimit: false });
}

/**
 * Reads a form that has one file. If this throws, nothing is stored.
 *
 * @throws BAD_REQUEST unless the form is well-formed and contains only this file; `tooLarge` if
 *   Content-Length is over the limit; UNAUTHORIZED if the token ended meanwhile; errors of `store`
 */
export async function readOneFile<T>(request: FastifyRequest, form: OneFileForm<T>): Promise<T> {
  const { field, limitBytes, tooLarge, store, discard } = form;
  if (Number(request.headers['content-length'] ?? 0) > limitBytes + OVERHEAD_BYTES) {
    throw tooLarge();
  }
  // The file must be the only part, so the first part's Content-Type is the file's.
  const isTyped = !request.isMultipart() || (await namesFirstType(request.raw));
  // One more than allowed, so that a second file is refused and not silently dropped.
  const limits = { files: 2, fields: 1, parts: 3, fileSize: limitBytes + 1 };
  let stored: { file: T } | undefined;
  try {
    for await (const part of formParts(request, { limits })) {
      if (stored) throw badForm('must contain only one file');
      // The library's type says `string`, but it is `undefined` if the part has no name.
      const name: string | undefined = part.fieldname;
      if (part.type !== 'file' || name !== field) {
        throw badForm(
          `${name?.slice(0, 100) ?? 'a part without a name'}: is not a known field; the file ` +
            `goes in "${field}"`,
        );
      }
      const file = await store({
        name: part.filename ?? '',
        claimedType: isTyped ? part.mimetype : '',
        bytes: Readable.from(orBadForm(part.file), { objectMode: false }),
      });
      stored = { file };
    }
    if (!stored) throw badForm(`${field}: is required`);
    await request.requireToken();
    return stored.file;
  } catch (error) {
    if (stored) await discard?.(stored.file);
    throw error;
  }
}

function badForm(problem: string): ServiceError {
  return new FieldError('BAD_REQUEST', 'body', `${problem}.`);
}
