import { draftsPage } from '../pages/app/drafts-page.tsx';
import type { AppParts } from './app-parts.ts';

/** Adds `/drafts`. The drafts are in the browser; its script lists them. */
export function addDraftRoutes({ get, show }: AppParts): void {
  get('/drafts', async (asked) => show(asked, draftsPage(asked.actor.id)));
}
