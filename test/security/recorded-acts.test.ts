import { strict as assert } from 'node:assert';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { AUDIT_ACTIONS, type AuditAction } from '../../src/core/audit/actions.ts';
import { UNSENT_MAIL } from '../mail/post-office.ts';
import { startWithVisitors } from '../sign-in/visitor.ts';
import { operationsOf } from './fuzz/operations.ts';

// What each way of writing leaves in the audit trail, or why it leaves nothing. That it really does is
// tested in src/features/audit/recording.test.ts, for each action.

/** Why a write isn't in the audit trail. */
const EXCUSES = {
  history: 'the history has who wrote what, and can restore it',
  thread: 'the thread and its events say who said what; it changes no text',
  own: 'concerns what only its owner sees or says of themself, and can be set again',
  order: 'changes how documents are found in lists, and who reads them stays the same',
  asked: 'the document lists who is asked, and by whom',
  report: 'is kept as a report, with its outcome',
  nothing: 'stores nothing that others see',
  work: 'is in the log of the operator, and changes no data of people',
  protocol: 'is a step of a protocol, whose result is recorded where it is reached',
} as const;
type Excuse = keyof typeof EXCUSES;

type Trace = readonly AuditAction[] | Excuse;

const CREATED = ['document.created'] as const;
const CHANGED = [
  'document.renamed',
  'document.visibility_changed',
  'document.words_accepted',
] as const;
const REVIEWED = ['document.approved', 'document.changes_requested'] as const;
const TAKEN_DOWN = ['document.taken_down'] as const;
const SETTINGS = ['document.protection_changed', 'document.review_changed'] as const;
const PINNED = ['document.revision_pinned', 'document.revision_unpinned'] as const;
const WEBHOOK = {
  POST: ['webhook.created'],
  PATCH: ['webhook.changed'],
  DELETE: ['webhook.deleted'],
} as const;

/** The operations of the API; those of pages are like those of briefs. */
const OPERATIONS: Record<string, Trace> = {
  'PATCH /user/profile': 'own',
  'PATCH /orgs/{org}/profile': 'own',
  'PUT /user/profile/picture': 'own',
  'DELETE /user/profile/picture': 'own',
  'PUT /orgs/{org}/profile/picture': 'own',
  'DELETE /orgs/{org}/profile/picture': 'own',
  'POST /user/briefs': CREATED,
  'POST /briefs': CREATED,
  'POST /users/{username}/briefs': CREATED,
  'POST /orgs/{org}/briefs': CREATED,
  'POST /documents': CREATED,
  'POST /documents/read': 'nothing',
  'POST /documents/move': ['document.moved', 'document.received'],
  'PATCH /briefs/{owner}/{name}': CHANGED,
  'DELETE /briefs/{owner}/{name}': ['document.deleted'],
  'PATCH /briefs/{owner}/{name}/revisions/{number}': PINNED,
  'DELETE /briefs/{owner}/{name}/revisions/{number}': ['document.text_erased'],
  'POST /briefs/{owner}/{name}/revisions/{number}/restore': 'history',
  'POST /briefs/{owner}/{name}/edits': 'history',
  'POST /trash/{id}/restore': ['document.restored'],
  'DELETE /trash/{id}': ['document.purged'],
  'PUT /admin/briefs/{owner}/{name}/takedown': TAKEN_DOWN,
  'DELETE /admin/briefs/{owner}/{name}/takedown': ['document.takedown_ended'],
  'POST /admin/invitations': ['invitation.sign_up_created'],
  'DELETE /admin/invitations/{id}': ['invitation.sign_up_revoked'],
  'PUT /admin/reports/{id}/outcome': ['document.reports_closed'],
  'POST /briefs/{owner}/{name}/threads': 'thread',
  'PATCH /briefs/{owner}/{name}/threads/{thread}': 'thread',
  'POST /briefs/{owner}/{name}/threads/{thread}/comments': 'thread',
  'PATCH /briefs/{owner}/{name}/threads/{thread}/comments/{comment}': 'thread',
  'DELETE /briefs/{owner}/{name}/threads/{thread}/comments/{comment}': ['document.comment_deleted'],
  'POST /briefs/{owner}/{name}/suggestions/accept': ['document.words_accepted'],
  'POST /briefs/{owner}/{name}/suggestions/reject': 'thread',
  'PATCH /briefs/{owner}/{name}/review-settings': SETTINGS,
  'POST /briefs/{owner}/{name}/reviews': REVIEWED,
  'PUT /briefs/{owner}/{name}/reviewers/{username}': 'asked',
  'DELETE /briefs/{owner}/{name}/reviewers/{username}': 'asked',
  'PATCH /orgs/{org}/protection': ['organization.protection_changed'],
  'PATCH /user/inbox': 'own',
  'PATCH /user/inbox/{position}': 'own',
  'PUT /briefs/{owner}/{name}/subscription': 'own',
  'DELETE /briefs/{owner}/{name}/subscription': 'own',
  'POST /user/webhooks': WEBHOOK.POST,
  'PATCH /user/webhooks/{id}': WEBHOOK.PATCH,
  'DELETE /user/webhooks/{id}': WEBHOOK.DELETE,
  'POST /user/webhooks/{id}/test': 'nothing',
  'POST /orgs/{org}/webhooks': WEBHOOK.POST,
  'PATCH /orgs/{org}/webhooks/{id}': WEBHOOK.PATCH,
  'DELETE /orgs/{org}/webhooks/{id}': WEBHOOK.DELETE,
  'POST /orgs/{org}/webhooks/{id}/test': 'nothing',
  'PUT /briefs/{owner}/{name}/collaborators/{username}': [
    'collaborator.invited',
    'collaborator.level_changed',
  ],
  'DELETE /briefs/{owner}/{name}/collaborators/{username}': ['collaborator.removed'],
  'PATCH /briefs/{owner}/{name}/invitations/{inviteId}': ['invitation.changed'],
  'DELETE /briefs/{owner}/{name}/invitations/{inviteId}': ['invitation.cancelled'],
  'POST /briefs/{owner}/{name}/links': ['link.created'],
  'DELETE /briefs/{owner}/{name}/links/{linkId}': ['link.revoked'],
  'PUT /briefs/{owner}/{name}/labels': 'order',
  'PUT /briefs/{owner}/{name}/pin': 'order',
  'DELETE /briefs/{owner}/{name}/pin': 'order',
  'POST /briefs/{owner}/{name}/email_invitations': ['collaborator.invited'],
  'DELETE /briefs/{owner}/{name}/email_invitations/{inviteId}': ['invitation.cancelled'],
  'POST /orgs/{org}/email_invitations': ['member.invited'],
  'DELETE /orgs/{org}/email_invitations/{inviteId}': ['invitation.cancelled'],
  'POST /briefs/{owner}/{name}/move': ['document.moved', 'document.received'],
  'PATCH /user/brief_invitations/{inviteId}': ['collaborator.accepted'],
  'DELETE /user/brief_invitations/{inviteId}': ['invitation.declined'],
  'POST /user/orgs': ['organization.created'],
  'PATCH /orgs/{org}': ['organization.settings_changed'],
  'DELETE /orgs/{org}': ['organization.deleted'],
  'PUT /orgs/{org}/members/{username}': ['member.invited', 'member.level_changed'],
  'DELETE /orgs/{org}/members/{username}': ['member.removed'],
  'DELETE /orgs/{org}/invitations/{inviteId}': ['invitation.cancelled'],
  'PATCH /user/memberships/orgs/{org}': ['member.added'],
  'DELETE /user/memberships/orgs/{org}': ['member.removed', 'invitation.declined'],
  'PATCH /orgs/{org}/policies': ['organization.policies_changed'],
  'PUT /admin/quotas/{owner}': ['quota.set', 'quota.removed'],
  'POST /admin/users': ['account.created'],
  'PATCH /admin/users/{username}': ['account.disabled', 'account.enabled'],
  'DELETE /admin/users/{username}': ['account.deleted'],
  'POST /admin/users/{username}/hand-over': ['account.handed_over'],
  'DELETE /admin/users/{username}/sessions': ['account.sessions_ended'],
  'DELETE /admin/users/{username}/access': ['account.access_revoked'],
  'POST /admin/work/retries': ['work.retried'],
  'POST /admin/test-mail': 'work',
  'POST /user/files': 'own',
  'DELETE /user/files/{id}': ['file.deleted'],
};

/** The web app's forms, and what its scripts send; those of pages are like those of briefs. */
const FORMS: Record<string, Trace> = {
  '/admin/invitations': ['invitation.sign_up_created'],
  '/admin/invitations/:id/revoke': ['invitation.sign_up_revoked'],
  '/admin/organizations/:org/appoint': ['organization.admin_appointed'],
  '/admin/people/:username/access': ['account.access_revoked'],
  '/admin/people/:username/delete': ['account.deleted'],
  '/admin/people/:username/disable': ['account.disabled'],
  '/admin/people/:username/email': ['account.email_changed'],
  '/admin/people/:username/enable': ['account.enabled'],
  '/admin/people/:username/hand-over': ['account.handed_over'],
  '/admin/people/:username/make-admin': ['account.admin_granted'],
  '/admin/people/:username/remove-admin': ['account.admin_revoked'],
  '/admin/people/:username/rename': ['account.renamed'],
  '/admin/people/:username/reset-link': ['account.reset_link'],
  '/admin/people/:username/second-factor': ['account.second_factor_reset'],
  '/admin/people/:username/sessions': ['account.sessions_ended'],
  '/admin/people/:username/unlink': ['provider.unlinked'],
  '/admin/people/:username/unlock': ['account.unlocked'],
  '/admin/people/:username/verify': ['account.email_verified'],
  '/admin/people/new': ['account.created'],
  '/admin/quotas/:owner': ['quota.set', 'quota.removed'],
  '/admin/reports/:id/close': ['document.reports_closed'],
  '/admin/reports/:id/take-down': TAKEN_DOWN,
  '/admin/take-down/:owner/:name': TAKEN_DOWN,
  '/admin/takedowns/:id/restore': ['document.takedown_ended'],
  '/admin/work/retry': ['work.retried'],
  '/admin/work/test-mail': 'work',
  '/admin/work/test-sign-in': 'work',
  '/authorize/:uid': ['application.connected'],
  '/comments/:owner/:name': ['document.words_accepted', 'document.comment_deleted'],
  // Leads to /authorize/:uid.
  '/connect/device': 'nothing',
  '/delete/:owner/:name': ['document.deleted'],
  '/edit/:owner/:name': 'history',
  '/history/:owner/:name': [...PINNED, 'document.text_erased'],
  '/import': ['document.imported', 'document.created'],
  '/inbox': 'own',
  '/invitations/documents/accept': ['collaborator.accepted'],
  '/invitations/documents/decline': ['invitation.declined'],
  '/invitations/organizations/accept': ['member.added'],
  '/invitations/organizations/decline': ['invitation.declined'],
  '/invited/:token/accept': ['collaborator.accepted', 'member.added'],
  '/invited/:token/decline': ['invitation.declined'],
  '/labels/:owner/:name': 'order',
  '/live/edit/:id': 'history',
  '/move/:owner/:name': ['document.moved', 'document.received'],
  '/new': CREATED,
  '/new/page': CREATED,
  '/notifications/:owner/:name': 'own',
  '/organizations/:org/delete': ['organization.deleted'],
  '/organizations/:org/invitations/addresses/cancel': ['invitation.cancelled'],
  '/organizations/:org/invitations/cancel': ['invitation.cancelled'],
  '/organizations/:org/leave': ['member.removed'],
  '/organizations/:org/members': ['member.invited'],
  '/organizations/:org/members/remove': ['member.removed'],
  '/organizations/:org/members/role': ['member.level_changed'],
  '/organizations/:org/policies': ['organization.policies_changed'],
  '/organizations/:org/policies/programs': ['organization.policies_changed'],
  '/organizations/:org/profile': 'own',
  '/organizations/:org/protection': ['organization.protection_changed'],
  '/organizations/:org/second-factor': ['organization.second_factor_changed'],
  '/organizations/:org/settings': ['organization.settings_changed'],
  '/organizations/:org/webhooks': WEBHOOK.POST,
  '/organizations/:org/webhooks/:id/delete': WEBHOOK.DELETE,
  '/organizations/:org/webhooks/:id/disable': WEBHOOK.PATCH,
  '/organizations/:org/webhooks/:id/enable': WEBHOOK.PATCH,
  '/organizations/:org/webhooks/:id/secret': WEBHOOK.PATCH,
  '/organizations/:org/webhooks/:id/test': 'nothing',
  '/organizations/new': ['organization.created'],
  '/pin/:owner/:name': 'order',
  '/preview': 'nothing',
  '/propose/:owner/:name': 'thread',
  // Marks what is read.
  '/read/:owner/:name': 'own',
  '/rename/:owner/:name': ['document.renamed'],
  '/report/:owner/:name': 'report',
  '/review/:owner/:name': REVIEWED,
  '/review/:owner/:name/protection': SETTINGS,
  '/review/:owner/:name/request': 'asked',
  '/review/:owner/:name/withdraw': 'asked',
  '/s/:secret': 'thread',
  '/s/:secret/password': 'nothing',
  '/settings/account/delete': ['account.deleted'],
  '/settings/applications/:id/permissions': ['application.narrowed'],
  '/settings/applications/disconnect': ['application.disconnected'],
  '/settings/confirm': ['session.confirmed'],
  '/settings/confirm/options': 'protocol',
  '/settings/email': ['account.email_changed'],
  '/settings/notifications': 'own',
  '/settings/notifications/verify': 'protocol',
  '/settings/password': ['password.set'],
  '/settings/profile': 'own',
  '/settings/security/codes': ['codes.turned_on'],
  '/settings/security/codes/off': ['codes.turned_off'],
  '/settings/security/passkeys': ['passkey.added'],
  '/settings/security/passkeys/:id/remove': ['passkey.removed'],
  '/settings/security/passkeys/options': 'protocol',
  '/settings/security/recovery-codes': ['recovery_codes.made'],
  '/settings/sessions/end': ['session.ended'],
  '/settings/sessions/end-all': ['session.ended'],
  '/settings/sessions/end-others': ['session.ended'],
  '/settings/tokens': ['token.created'],
  '/settings/tokens/:id/revoke': ['token.revoked'],
  '/settings/uploads': 'own',
  '/settings/uploads/:id/delete': ['file.deleted'],
  '/settings/webhooks': WEBHOOK.POST,
  '/settings/webhooks/:id/delete': WEBHOOK.DELETE,
  '/settings/webhooks/:id/disable': WEBHOOK.PATCH,
  '/settings/webhooks/:id/enable': WEBHOOK.PATCH,
  '/settings/webhooks/:id/secret': WEBHOOK.PATCH,
  '/settings/webhooks/:id/test': 'nothing',
  '/share/:owner/:name/addresses/cancel': ['invitation.cancelled'],
  '/share/:owner/:name/comments': ['document.review_changed'],
  '/share/:owner/:name/invitations/cancel': ['invitation.cancelled'],
  '/share/:owner/:name/invitations/level': ['invitation.changed'],
  '/share/:owner/:name/leave': ['collaborator.removed'],
  '/share/:owner/:name/links': ['link.created'],
  '/share/:owner/:name/links/revoke': ['link.revoked'],
  '/share/:owner/:name/people': ['collaborator.invited'],
  '/share/:owner/:name/people/level': ['collaborator.level_changed'],
  '/share/:owner/:name/people/remove': ['collaborator.removed'],
  '/share/:owner/:name/threads': ['document.review_changed'],
  '/share/:owner/:name/visibility': ['document.visibility_changed'],
  '/sign-in': ['session.started', 'session.failed'],
  '/sign-in/forgot': ['password.reset_asked'],
  '/sign-in/passkey': ['session.started'],
  '/sign-in/passkey/options': 'protocol',
  '/sign-in/reset/:token': ['password.reset'],
  '/sign-in/second': ['session.started', 'second_factor.failed'],
  '/sign-in/second/options': 'protocol',
  '/sign-in/second/passkey': ['session.started'],
  '/sign-out': ['session.left'],
  '/sign-up': ['account.created'],
  '/sign-up/confirm/:token': ['account.created', 'account.email_verified'],
  '/sign-up/with/:token': ['account.created', 'provider.linked'],
  '/trash/:id/delete': ['document.purged'],
  '/trash/:id/restore': ['document.restored'],
  '/unsubscribe/:token': 'own',
  '/unsubscribe/address/:token': 'own',
  '/uploads': 'own',
  '/verify/:token': ['account.email_verified'],
};

describe('Every way of writing is in the audit trail, or excused', () => {
  const operations = new Set<string>();
  const forms = new Set<string>();

  before(async () => {
    const seen: { url: string; method: string | string[] }[] = [];
    const onServer = (message: unknown) => {
      const { fastify } = message as { fastify: FastifyInstance };
      fastify.addHook('onRoute', ({ url, method }) => {
        seen.push({ url, method });
      });
    };
    subscribe('fastify.initialization', onServer);
    const service = await startWithVisitors({ ...UNSENT_MAIL, REPORTS: 'on' });
    try {
      // The web app is created by its first request.
      await (await fetch(service.webUrl)).text();
      const document = await (await fetch(`${service.baseUrl}/openapi.json`)).json();
      for (const { method, template } of operationsOf(document)) {
        const like = template.replace(/\/pages(?=$|\/)/, '/briefs');
        if (method !== 'GET') operations.add(`${method} ${like}`);
      }
    } finally {
      unsubscribe('fastify.initialization', onServer);
      await service.stop();
    }
    for (const { url, method } of seen) {
      if (url.startsWith('/api/') || ![method].flat().includes('POST')) continue;
      forms.add(url.replace('/:owner/pages/:name', '/:owner/:name'));
    }
  });

  const sorted = (names: Iterable<string>) => [...names].sort();

  it('the operations of the API', () => {
    assert.ok(operations.size > 70, String(operations.size));
    assert.deepEqual(sorted(operations), sorted(Object.keys(OPERATIONS)));
  });

  it('the forms of the web app', () => {
    assert.ok(forms.size > 100, String(forms.size));
    assert.deepEqual(sorted(forms), sorted(Object.keys(FORMS)));
  });

  it('no action and no excuse is there for nothing', () => {
    const traces = [...Object.values(OPERATIONS), ...Object.values(FORMS)];
    const used = new Set<string>(traces.flat());
    for (const excuse of Object.keys(EXCUSES)) assert.ok(used.has(excuse), excuse);
    const unused = Object.keys(AUDIT_ACTIONS).filter((action) => !used.has(action));
    // Downloads, links in mails and at the provider, commands, and OAuth.
    assert.deepEqual(unused, [
      'document.exported',
      'file.taken_away',
      'keys.rotated',
      'provider.refused',
      'recovery_code.used',
    ]);
  });
});
