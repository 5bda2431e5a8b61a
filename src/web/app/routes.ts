import type { AppParts } from './app-parts.ts';
import { addConnectRoutes } from './connect-routes.ts';
import { addEditRoutes } from './edit-routes.ts';
import { addEditingRoutes } from './editing-routes.ts';
import { addHistoryRoutes } from './history-routes.ts';
import { addHomeRoutes } from './home-routes.ts';
import { addImportRoutes } from './import-routes.ts';
import { addInboxRoutes } from './inbox-routes.ts';
import { addInvitationRoutes } from './invitation-routes.ts';
import { addManageRoutes } from './manage-routes.ts';
import { addOrganizationRoutes } from './organization-routes.ts';
import { addProposeRoutes } from './propose-routes.ts';
import { addReadRoutes } from './read-routes.ts';
import { addReviewRoutes } from './review-routes.ts';
import { addSettingsRoutes } from './settings-routes.ts';
import { addShareRoutes } from './share-routes.ts';
import { addTrashRoutes } from './trash-routes.ts';
import { addWritingRoutes } from './writing-routes.ts';

export function addAppRoutes(parts: AppParts): void {
  addHomeRoutes(parts);
  addReadRoutes(parts);
  addHistoryRoutes(parts);
  addManageRoutes(parts);
  addEditRoutes(parts);
  addEditingRoutes(parts);
  addProposeRoutes(parts);
  addWritingRoutes(parts);
  addShareRoutes(parts);
  addReviewRoutes(parts);
  addInboxRoutes(parts);
  addInvitationRoutes(parts);
  addOrganizationRoutes(parts);
  addImportRoutes(parts);
  addConnectRoutes(parts);
  addSettingsRoutes(parts);
  addTrashRoutes(parts);
}
