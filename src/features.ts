import { CLIENT } from './client.ts';
import { addResetRoutes } from './features/accounts/reset-routes.ts';
import { addSignInRoutes } from './features/accounts/sign-in-routes.ts';
import { addSignUpInvitationOperations } from './features/accounts/sign-up-invitation-operations.ts';
import { addSignUpInvitationRoutes } from './features/accounts/sign-up-invitation-routes.ts';
import { addSignUpRoutes } from './features/accounts/sign-up-routes.ts';
import { addUserOperations } from './features/accounts/user-operations.ts';
import { addVerifyRoutes } from './features/accounts/verify-routes.ts';
import { addAdministrationOperations } from './features/administration/administration-operations.ts';
import { addManagedOrganizationRoutes } from './features/administration/organizations-routes.ts';
import { addPeopleRoutes } from './features/administration/people-routes.ts';
import { addWorkRoutes } from './features/administration/work-routes.ts';
import { addConnectRoutes } from './features/applications/connect-routes.ts';
import { addConsentRoutes } from './features/applications/consent.ts';
import { findApplicationName } from './features/applications/consent-service.ts';
import { addDeviceRoutes } from './features/applications/device-routes.ts';
import { addAuditOperations } from './features/audit/audit-operations.ts';
import { addAuditRoutes } from './features/audit/audit-routes.ts';
import { addAuthorshipOperations } from './features/authorship/authorship-operations.ts';
import { addBacklinkOperations } from './features/backlinks/backlink-operations.ts';
import { addThreadOperations } from './features/comments/thread-operations.ts';
import { addDiscoveryRoutes } from './features/discovery/discovery-routes.ts';
import { addCommentRoutes } from './features/discussion/comment-routes.ts';
import { addDocumentOperations } from './features/documents/document-operations.ts';
import { addEditOperations } from './features/documents/edit-operations.ts';
import { addManageRoutes } from './features/documents/manage-routes.ts';
import { addEditRoutes } from './features/editor/edit-routes.ts';
import { addNewRoutes } from './features/editor/new-routes.ts';
import { addProposeRoutes } from './features/editor/propose-routes.ts';
import { addWritingRoutes } from './features/editor/writing-routes.ts';
import { addFactorSignInRoutes } from './features/factors/passkey-sign-in-routes.ts';
import { createProver } from './features/factors/prover.tsx';
import { addProviderRoutes } from './features/factors/provider-routes.ts';
import { addFeedOperations } from './features/feed/feed-operations.ts';
import { addInboxRoutes } from './features/feed/inbox-routes.ts';
import { addFileOperations } from './features/files/file-operations.ts';
import { addEmailInvitationOperations } from './features/invitations/email-invitation-operations.ts';
import { addInvitationRoutes, findInvitedPage } from './features/invitations/invitation-routes.ts';
import { addInvitedRoutes } from './features/invitations/invited-routes.ts';
import { addOwnInvitationOperations } from './features/invitations/own-invitation-operations.ts';
import { addLabelOperations } from './features/labels/label-operations.ts';
import { addLabelRoutes } from './features/labels/label-routes.ts';
import { addDraftRoutes } from './features/library/draft-routes.ts';
import { addLinkOperations } from './features/links/link-operations.ts';
import { addLinkRoutes } from './features/links/link-routes.ts';
import { addLiveRoutes } from './features/live/live-routes.ts';
import { addUnsubscribeRoutes } from './features/mail/unsubscribe-routes.ts';
import { addReportOperations } from './features/moderation/report-operations.ts';
import { addReportRoutes } from './features/moderation/report-routes.ts';
import { addTakedownOperations } from './features/moderation/takedown-operations.ts';
import { addTakedownRoutes } from './features/moderation/takedown-routes.ts';
import { addMoveOperations } from './features/moves/move-operations.ts';
import { addMoveRoutes } from './features/moves/move-routes.ts';
import { addOfflineRoutes } from './features/offline/offline-routes.ts';
import { addMemberOperations } from './features/organizations/member-operations.ts';
import { addMembershipOperations } from './features/organizations/membership-operations.ts';
import { addOrganizationOperations } from './features/organizations/organization-operations.ts';
import { addOrganizationRoutes } from './features/organizations/organization-routes.ts';
import { addFrameRoutes } from './features/pages/frame-routes.ts';
import { addPageOperations } from './features/pages/page-operations.ts';
import { addPinOperations } from './features/pins/pin-operations.ts';
import { addPinRoutes } from './features/pins/pin-routes.ts';
import { addPolicyOperations } from './features/policies/policy-operations.ts';
import { addPolicyRoutes } from './features/policies/policy-routes.ts';
import { addPictureOperations } from './features/profiles/picture-operations.ts';
import { addPictureRoutes } from './features/profiles/picture-routes.ts';
import { addProfileOperations } from './features/profiles/profile-operations.ts';
import { addProfileRoutes } from './features/profiles/profile-routes.ts';
import { addQuotaOperations } from './features/quotas/quota-operations.ts';
import { addQuotaRoutes } from './features/quotas/quota-routes.ts';
import { addPublicRoutes } from './features/reading/public-routes.ts';
import { addReadRoutes } from './features/reading/read-routes.ts';
import { addReferenceRoutes } from './features/reference/reference-routes.ts';
import { addReviewOperations } from './features/reviews/review-operations.ts';
import { addReviewRoutes } from './features/reviews/review-routes.ts';
import { addReviewSettingOperations } from './features/reviews/review-setting-operations.ts';
import { addHistoryRoutes } from './features/revisions/history-routes.ts';
import { addRevisionOperations } from './features/revisions/revision-operations.ts';
import { addHomeRoutes } from './features/search/home-routes.ts';
import { addSearchOperations } from './features/search/search-operations.ts';
import { addSettingsRoutes } from './features/settings/settings-routes.ts';
import { addShareRoutes } from './features/sharing/share-routes.ts';
import { addSharingOperations } from './features/sharing/sharing-operations.ts';
import { addSuggestionOperations } from './features/suggestions/suggestion-operations.ts';
import { addImportRoutes } from './features/transfer/import-routes.ts';
import { addTrashOperations } from './features/trash/trash-operations.ts';
import { addTrashRoutes } from './features/trash/trash-routes.ts';
import { addWebhookOperations } from './features/webhooks/webhook-operations.ts';
import { acceptForms } from './surfaces/rest/one-file-form.ts';
import type { Api } from './surfaces/rest/operation.ts';
import type { WebFeatures } from './surfaces/web/server.ts';

export async function addOperations(api: Api): Promise<void> {
  addUserOperations(api);
  addProfileOperations(api);
  addDocumentOperations(api);
  addRevisionOperations(api);
  addAuthorshipOperations(api);
  addEditOperations(api);
  addPageOperations(api);
  addSearchOperations(api);
  addTrashOperations(api);
  addTakedownOperations(api);
  addSignUpInvitationOperations(api);
  addReportOperations(api);
  addThreadOperations(api);
  addSuggestionOperations(api);
  addReviewSettingOperations(api);
  addReviewOperations(api);
  addFeedOperations(api);
  addWebhookOperations(api);
  addSharingOperations(api);
  addLinkOperations(api);
  addLabelOperations(api);
  addPinOperations(api);
  addBacklinkOperations(api);
  addEmailInvitationOperations(api);
  addMoveOperations(api);
  addOwnInvitationOperations(api);
  addOrganizationOperations(api);
  addMemberOperations(api);
  addMembershipOperations(api);
  addAuditOperations(api);
  addPolicyOperations(api);
  addQuotaOperations(api);
  addAdministrationOperations(api);
  await api.app.register(async (app) => {
    await acceptForms(app);
    addFileOperations({ ...api, app });
    addPictureOperations({ ...api, app });
  });
}

/** What the features give to the web host. */
export const WEB_FEATURES: WebFeatures = {
  client: Object.values(CLIENT),

  addOpenPages(app, { context, site, visitorOf, markdownHeaders }) {
    addPublicRoutes(app, { context, site, visitorOf, markdownHeaders });
    addDiscoveryRoutes(app, { context, site });
    addOfflineRoutes(app, site);
    addPictureRoutes(app, context);
  },

  addMailPages(scope, { context, site }) {
    addUnsubscribeRoutes(scope, { context, site });
    addVerifyRoutes(scope, { context, site });
  },

  async addDirectory(scope, { config: { upstream, scimToken }, logger, ...parts }) {
    if (upstream) {
      const { addLogoutRoutes } = await import('./features/directory/logout-routes.ts');
      addLogoutRoutes(scope, parts, upstream, logger);
    }
    if (scimToken !== undefined) {
      const { addScimRoutes } = await import('./features/directory/scim-routes.ts');
      await addScimRoutes(scope, parts, scimToken);
    }
  },

  async addScreens(scope, account, { createParts, openapi, visitorOf, upstream, logger }) {
    const { context, site } = account;
    const showSignIn = addSignInRoutes(scope, account, (id) => findApplicationName(context, id));
    addFactorSignInRoutes(scope, account, showSignIn);
    if (context.signIn.passwords === 'on') addResetRoutes(scope, account);
    addSignUpRoutes(scope, account);
    const parts = createParts();
    addHomeRoutes(parts);
    addReadRoutes(parts);
    await addLiveRoutes(scope, { ...account, logger });
    addHistoryRoutes(parts);
    addManageRoutes(parts);
    addLabelRoutes(parts);
    addPinRoutes(parts);
    addMoveRoutes(parts);
    addNewRoutes(parts);
    addEditRoutes(parts);
    addDraftRoutes(parts);
    addCommentRoutes(parts);
    addProposeRoutes(parts);
    addWritingRoutes(parts);
    addShareRoutes(parts);
    addReviewRoutes(parts);
    addInboxRoutes(parts);
    addInvitationRoutes(parts);
    addOrganizationRoutes(parts);
    addImportRoutes(parts);
    addConnectRoutes(parts);
    addDeviceRoutes(parts);
    addSettingsRoutes(parts);
    addAuditRoutes(parts);
    addPolicyRoutes(parts);
    addQuotaRoutes(parts);
    addTrashRoutes(parts);
    addTakedownRoutes(parts);
    addSignUpInvitationRoutes(parts);
    addReportRoutes(parts);
    addPeopleRoutes(parts);
    addManagedOrganizationRoutes(parts);
    addWorkRoutes(parts);
    addLinkRoutes(scope, parts);
    addInvitedRoutes(parts);
    addConsentRoutes(scope, { context, site, visits: account.visits });
    if (upstream) {
      const { addUpstreamRoutes } = await import('./features/accounts/upstream-routes.ts');
      const links = addUpstreamRoutes(scope, account, upstream, logger);
      addProviderRoutes(parts, upstream.name, links);
    }
    addFrameRoutes(scope, { context, site, visitorOf });
    addProfileRoutes(parts);
    addReferenceRoutes(parts, openapi);
  },

  createProver,
  findInvitedPage,
};
