import { Readable } from 'node:stream';
import { FieldError, ServiceError } from '../../base/errors.ts';
import { countAttempt } from '../../core/identity/attempts.ts';
import { orBadForm } from '../../surfaces/http/form-parts.ts';
import { type AppParts, type AppRequest, isUnauthorized } from '../../surfaces/web/app-parts.ts';
import { isRefusal, pageNumberOf } from '../../surfaces/web/form.ts';
import {
  dropForm,
  type FormFile,
  isTooLong,
  passOverFile,
  readMultipart,
} from '../../surfaces/web/multipart-form.ts';
import { LIST_SIZE } from '../../surfaces/web/pages/pager.tsx';
import { settingsPath } from '../../surfaces/web/pages/settings-page.tsx';
import { presentFile } from './file-schema.ts';
import {
  FILE_LIMIT_BYTES,
  getOwnFile,
  listOwnFiles,
  removeFile,
  saveUpload,
  storeUpload,
} from './file-service.ts';
import { deleteFilePage, uploadsPage } from './upload-settings.tsx';

/** The maximum size of a form, as a number of files of maximum size. */
const MAX_LARGE_FILES = 20;

interface FileRoute {
  Params: { id: string };
}

/** Adds `/settings/uploads`, the files that the user's documents can embed. */
export function addUploadRoutes(parts: AppParts): void {
  const { context, limiter } = parts;
  const path = settingsPath('uploads');
  const present = presentFile.bind(undefined, context.renderUrl);

  async function show(asked: AppRequest, page: number, faults: readonly string[] = []) {
    const request = { number: page, size: LIST_SIZE };
    const { items, total } = await listOwnFiles(asked.call, request);
    const list = { items: items.map(present), total, page };
    return parts.show(asked, uploadsPage(list, faults), faults.length > 0 ? 422 : 200);
  }

  parts.get<{ Querystring: { page?: unknown } }>(path, (asked) =>
    show(asked, pageNumberOf(asked.request.query.page)),
  );

  /** Stores a file. Returns a sentence if it is refused. */
  async function take({ call, request }: AppRequest, file: FormFile): Promise<string | undefined> {
    // A refused file's stream must survive, so that the rest of the form can be read.
    const whole = file.bytes.iterator({ destroyOnReturn: false });
    const bytes = Readable.from(orBadForm(whole), { objectMode: false });
    try {
      await countAttempt(limiter, [['webUpload', call.actor.id]]);
      const upload = { name: file.name, claimedType: file.type, bytes };
      const stored = await storeUpload(context, upload);
      await request.requireSession();
      await saveUpload(call, stored);
      return undefined;
    } catch (error) {
      if (!isRefusal(error) || isUnauthorized(error)) throw error;
      return `“${file.name}” was not uploaded. ${error.sentence}`;
    } finally {
      passOverFile(file);
    }
  }

  parts.post(path, async (asked) => {
    const faults: string[] = [];
    let taken = 0;
    try {
      if (isTooLong(asked.request, MAX_LARGE_FILES * FILE_LIMIT_BYTES)) {
        dropForm(asked.request);
        throw new FieldError('PAYLOAD_TOO_LARGE', 'file', 'too much at once. Upload fewer files.');
      }
      await readMultipart(asked.request, {
        limitBytes: 0,
        fileLimitBytes: FILE_LIMIT_BYTES + 1,
        onFile: async (file) => {
          const fault = await take(asked, file);
          if (fault === undefined) taken++;
          else faults.push(fault);
        },
      });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'PAYLOAD_TOO_LARGE') throw error;
      faults.push(error.sentence);
    }
    if (taken === 0 && faults.length === 0) faults.push('Choose a file first.');
    if (faults.length > 0) return show(asked, 1, faults);
    const message = taken === 1 ? 'File uploaded.' : `${taken} files uploaded.`;
    return parts.goOn(asked, path, { message });
  });

  parts.get<FileRoute>(`${path}/:id/delete`, async (asked) => {
    const file = await getOwnFile(asked.call, asked.request.params.id);
    return parts.show(asked, deleteFilePage(present(file)));
  });

  parts.post<FileRoute>(`${path}/:id/delete`, async (asked) => {
    await removeFile(asked.call, asked.request.params.id);
    return parts.goOn(asked, path, { message: 'File deleted.' });
  });
}
