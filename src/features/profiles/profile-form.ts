import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { PICTURE_LIMIT_BYTES } from '../../base/schema/profile.ts';
import { orBadForm } from '../../surfaces/http/form-parts.ts';
import { type Faults, faultsOf, isCorrectable } from '../../surfaces/web/form.ts';
import { dropForm, isTooLong, readMultipart } from '../../surfaces/web/multipart-form.ts';
import { type ProfileChange, pictureTooLarge } from './own-profile-service.ts';

/** More than the service accepts, so that the service reports a text that is too long. */
const TEXT_LIMIT_BYTES = 4 * 1024;

/** A profile with all texts, as sent by its form. */
export type ProfileInput = ProfileChange & { displayName: string; summary: string };

/** Reads a profile's form. @throws PAYLOAD_TOO_LARGE naming `picture` */
export async function readProfileForm(request: FastifyRequest): Promise<ProfileInput> {
  if (isTooLong(request, 4 * PICTURE_LIMIT_BYTES)) {
    dropForm(request);
    throw pictureTooLarge();
  }
  const pieces: Buffer[] = [];
  const fields = await readMultipart(request, {
    limitBytes: TEXT_LIMIT_BYTES,
    // One byte over the limit, so that the service notices a larger picture.
    fileLimitBytes: PICTURE_LIMIT_BYTES + 1,
    onFile: async ({ bytes }) => {
      for await (const piece of orBadForm(bytes)) pieces.push(piece as Buffer);
    },
  });
  const uploaded = Buffer.concat(pieces);
  const removed = fields.remove === 'yes' ? 'remove' : undefined;
  return {
    displayName: fields.displayName ?? '',
    summary: fields.summary ?? '',
    picture: uploaded.length > 0 ? uploaded : removed,
  };
}

/** Returns the errors to show in the form. @throws any other error */
export function profileFaults(error: unknown): Faults {
  const isTooLarge = error instanceof ServiceError && error.code === 'PAYLOAD_TOO_LARGE';
  if (!isTooLarge && !isCorrectable(error)) throw error;
  return faultsOf(error as ServiceError);
}
