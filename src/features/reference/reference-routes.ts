import type { AppParts } from '../../surfaces/web/app-parts.ts';
import { REFERENCE_PATH } from '../../surfaces/web/pages/format.tsx';
import { apiReferencePage, renderApiReferencePage } from './api-reference-page.tsx';

/**
 * Adds the API reference, inside the app for everyone who is signed in.
 *
 * @param openapi the API's description of itself, once all of it has been added
 */
export function addReferenceRoutes(parts: AppParts, openapi: () => object): void {
  const { site } = parts;
  let pages: { inApp: ReturnType<typeof apiReferencePage>; open: string } | undefined;
  const read = () => {
    pages ??= {
      inApp: apiReferencePage(site, openapi()),
      open: renderApiReferencePage(site, openapi()),
    };
    return pages;
  };
  parts.get(
    REFERENCE_PATH,
    async (asked) => parts.show(asked, read().inApp),
    async (_request, reply) =>
      reply
        .headers({ 'content-type': 'text/html; charset=utf-8', vary: 'Cookie' })
        .send(read().open),
  );
}
