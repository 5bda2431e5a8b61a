import type { AccountTables } from './tables/accounts.ts';
import type { AuditTables } from './tables/audit.ts';
import type { DocumentTables } from './tables/documents.ts';
import type { FeedTables } from './tables/feed.ts';
import type { FileTables } from './tables/files.ts';
import type { InstanceTables } from './tables/instance.ts';
import type { LiveTables } from './tables/live.ts';
import type { MailTables } from './tables/mail.ts';
import type { ModerationTables } from './tables/moderation.ts';
import type { OAuthTables } from './tables/oauth.ts';
import type { OrganizationTables } from './tables/organizations.ts';
import type { PolicyTables } from './tables/policies.ts';
import type { QuotaTables } from './tables/quotas.ts';
import type { ReviewTables } from './tables/review.ts';
import type { RevisionTables } from './tables/revisions.ts';
import type { SharingTables } from './tables/sharing.ts';
import type { WebhookTables } from './tables/webhooks.ts';

/**
 * The tables, for the query builder; each file in `tables/` has those of one area. On every
 * database, ids are UUIDv7 text, times are ISO 8601 text in UTC with milliseconds (so they sort as
 * text), and flags are 0 or 1.
 */
export interface Tables
  extends AccountTables,
    AuditTables,
    OrganizationTables,
    DocumentTables,
    PolicyTables,
    QuotaTables,
    SharingTables,
    RevisionTables,
    ReviewTables,
    FeedTables,
    InstanceTables,
    LiveTables,
    MailTables,
    ModerationTables,
    WebhookTables,
    FileTables,
    OAuthTables {}
