import { Readable } from 'node:stream';
import {
  BackEndUnavailable,
  FieldError,
  RETRY_AFTER_S,
  type ServiceError,
} from '../../base/errors.ts';
import { VISIBILITIES } from '../../base/schema/visibility.ts';
import type { Actor } from '../../core/context.ts';
import { countAttempt } from '../../core/identity/attempts.ts';
import { resolveOwner } from '../../core/owner/document-owner-service.ts';
import { listCreatableOrganizations } from '../../core/owner/navigation-service.ts';
import { formParts, orBadForm } from '../../surfaces/http/form-parts.ts';
import { type AppParts, type AppRequest, isUnauthorized } from '../../surfaces/web/app-parts.ts';
import { type Faults, type Form, faultsOf, isRefusal, readForm } from '../../surfaces/web/form.ts';
import { dropForm, isTooLong } from '../../surfaces/web/multipart-form.ts';
import { exportDocuments, requireExported } from './export-service.ts';
import { type ImportChoice, type ImportPage, importPage } from './import-page.tsx';
import { ARCHIVE_LIMITS, shownPath } from './import-rules.ts';
import { type ImportFate, type ImportFile, importDocuments } from './import-service.ts';

const FIELDS = ['owner', 'visibility', 'ifTaken'] as const;

const LIMITS = {
  fieldSize: 1_000,
  // One byte over the limit, so that a larger archive is noticed.
  fileSize: ARCHIVE_LIMITS.packedBytes + 1,
  fields: FIELDS.length,
  // One file over the limit, so that the error can name the first file left out.
  files: ARCHIVE_LIMITS.entries + 1,
  parts: FIELDS.length + ARCHIVE_LIMITS.entries + 1,
};

const AWAY =
  'The import stopped because the service is temporarily unavailable. The files below are done. Import the others later.';

/** The fields that show errors. */
const SHOWN: readonly string[] = ['form', 'visibility', 'files'];

/** Adds `/import`, which takes many files, and `/export`, which sends one archive. */
export function addImportRoutes(parts: AppParts): void {
  const { context, limiter } = parts;

  async function show(asked: AppRequest, more: Partial<ImportPage> = {}, status = 200) {
    const { username } = asked.call.actor;
    const organizations = await listCreatableOrganizations(asked.call);
    const choice = readChoice(asked.call.actor, {});
    const page = { username, organizations, choice, faults: {}, ...more };
    return parts.show(asked, importPage(page), status);
  }

  parts.get<{ Querystring: { owner?: unknown; history?: unknown } }>('/import', (asked) =>
    show(asked, { choice: readChoice(asked.call.actor, readForm(asked.request.query, FIELDS)) }),
  );

  parts.post(
    '/import',
    parts.inTurn(async (asked) => {
      const { request, call } = asked;
      await countAttempt(limiter, [['webImport', call.actor.id]]);
      let choice = readChoice(call.actor, {});
      const fates: ImportFate[] = [];
      const sent = formParts(request, { limits: LIMITS });
      try {
        if (isTooLong(request, ARCHIVE_LIMITS.unpackedBytes)) {
          dropForm(request);
          throw new FieldError(
            'PAYLOAD_TOO_LARGE',
            'files',
            'too much at once. Import fewer files.',
          );
        }
        const form = await openForm(sent);
        choice = readChoice(call.actor, form.fields);
        const owner = await resolveOwner(context.sql.read, call.actor, choice.owner);
        const { visibility, ifTaken } = choice;
        const options = { visibility, ifTaken, requireSession: request.requireSession };
        for await (const fate of importDocuments(call, owner, form.files, options)) {
          fates.push(fate);
        }
      } catch (error) {
        if (error instanceof BackEndUnavailable && fates.length > 0) {
          asked.reply.header('retry-after', RETRY_AFTER_S);
          return show(asked, { choice, fates, faults: { form: AWAY } }, 503);
        }
        if (!isRefusal(error) || isUnauthorized(error)) throw error;
        return show(asked, { choice, fates, faults: importFaults(error) }, 422);
      } finally {
        await sent.return(undefined);
      }
      const faults: Record<string, string> =
        fates.length > 0 ? {} : { files: 'Choose a file first.' };
      return show(asked, { choice, fates, faults }, fates.length > 0 ? 200 : 422);
    }),
  );

  parts.get<{ Querystring: { owner?: unknown; history?: unknown } }>(
    '/export',
    parts.inTurn(async ({ request, reply, call }) => {
      const { owner } = readForm(request.query, ['owner']);
      const history = request.query.history !== undefined;
      const org = owner === '' || owner === call.actor.username ? undefined : owner.toLowerCase();
      await countAttempt(limiter, [['webExport', call.actor.id]]);
      // Check before sending headers: a refusal is a page, and the namespace isn't validated yet.
      const { namespace } = await requireExported(call, org);
      const name = `briefs-${namespace}-${context.now().slice(0, 10)}.zip`;
      reply.headers({
        'content-type': 'application/zip',
        'content-disposition': `attachment; filename="${name}"`,
        'cache-control': 'private, no-store',
      });
      // HEAD needs no archive.
      const { requireSession } = request;
      return reply.send(
        request.method === 'HEAD'
          ? ''
          : await exportDocuments(call, { org, history, requireSession }),
      );
    }),
  );
}

/** Returns the form's choices, with defaults for missing ones. */
function readChoice({ username }: Actor, form: Form): ImportChoice {
  return {
    owner: form.owner?.toLowerCase() || username,
    visibility: VISIBILITIES.find((visibility) => visibility === form.visibility) ?? 'private',
    ifTaken: form.ifTaken === 'number' ? 'number' : 'skip',
  };
}

/** Returns errors by field. If a field can't show its error, the form does; `owner` is one. */
function importFaults(error: ServiceError): Faults {
  const faults = faultsOf(error);
  const isShown = Object.keys(faults).every((field) => SHOWN.includes(field));
  return isShown ? faults : { form: error.sentence };
}

/** Reads a form's fields, which come first, and then its files one by one. */
async function openForm(
  parts: ReturnType<typeof formParts>,
): Promise<{ fields: Form; files: AsyncIterable<ImportFile> }> {
  const fields = new Map<string, string>();
  let first = await parts.next();
  while (!first.done && first.value.type === 'field') {
    fields.set(first.value.fieldname, String(first.value.value));
    first = await parts.next();
  }
  async function* files(): AsyncGenerator<ImportFile> {
    let count = 0;
    for (let next = first; !next.done; next = await parts.next()) {
      const part = next.value;
      if (part.type === 'field') continue;
      if (++count > ARCHIVE_LIMITS.entries) throw tooManyFiles(part.filename ?? '');
      if (part.filename) yield { path: part.filename, bytes: readable(part.file) };
      else part.file.resume();
    }
  }
  return { fields: Object.fromEntries(fields), files: files() };
}

/** @param first the name of the first file over the limit */
function tooManyFiles(first: string): ServiceError {
  const most = ARCHIVE_LIMITS.entries.toLocaleString('en');
  return new FieldError(
    'PAYLOAD_TOO_LARGE',
    'files',
    `at most ${most} at once. Files from “${shownPath(first)}” on were left out. Import them next.`,
  );
}

/** Returns a part's bytes. If no one reads them, an early end is not an error. */
function readable(file: Readable): Readable {
  const whole = file.iterator({ destroyOnReturn: false });
  return Readable.from(orBadForm(whole), { objectMode: false }).on('error', () => {});
}
