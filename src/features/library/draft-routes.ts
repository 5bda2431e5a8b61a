import type { AppParts } from '../../surfaces/web/app-parts.ts';
import { draftsPage } from './drafts-page.tsx';

/** Adds `/drafts`. The drafts are in the browser; its script lists them. */
export function addDraftRoutes({ get, show }: AppParts): void {
  get('/drafts', async (asked) => show(asked, draftsPage(asked.call.actor.id)));
}
