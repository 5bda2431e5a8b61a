import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type Capabilities, capabilitiesOf } from '../dialect.ts';

/**
 * The first schema. What the specification calls invariants are constraints here, so that they
 * hold even where the code above is wrong.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const capabilities = capabilitiesOf(db);
  for (const statement of schema(capabilities)) await statement.execute(db);
  await capabilities.createWordIndex(db);
}

/** Returns the statements, each table after those it refers to. */
function schema({ text, bytes, keptWithKey, choose }: Capabilities): RawBuilder<unknown>[] {
  // SQLite reads the row for a column of an index's condition, unless the index has this column.
  const hidden = choose({ sqlite: sql`, "deletedAt", "takenDownAt"`, postgres: sql`` });
  return [
    // Accounts, and how people sign in. Names of deleted owners stay reserved for a while. The pair (id, type) ties
    // a row to an owner of its own type, so no id can be a user and an organization at once.
    sql`create table owner (
      id ${text} primary key,
      type ${text} not null,
      namespace ${text} not null unique,
      constraint owner_id_type unique (id, type),
      constraint owner_type check (type in ('user', 'organization')),
      constraint owner_namespace check (length(namespace) between 1 and 39 and namespace = lower(namespace) and
        namespace not like '-%' and namespace not like '%-' and namespace not like '%--%')
    )`,
    sql`create table released_namespace (
      namespace ${text} primary key,
      "releasedAt" ${text} not null
    )`,
    sql`create table account (
      id ${text} primary key,
      type ${text} default 'user' not null,
      email ${text} not null,
      "emailKey" ${text} not null unique,
      "disabledAt" ${text},
      "createdAt" ${text} not null,
      "passwordHash" ${text},
      "emailVerifiedAt" ${text},
      "adminSince" ${text},
      "signedInAt" ${text},
      "secondFactorAt" ${text},
      "refusedAt" ${text},
      "scimUserName" ${text} unique,
      "externalId" ${text} unique,
      constraint account_type check (type = 'user'),
      constraint account_owner foreign key (id, type) references owner (id, type) on delete cascade
    )`,
    sql`create index account_admins on account (id) where "adminSince" is not null`,
    sql`create index account_disabled on account (id) where "disabledAt" is not null`,
    sql`create index account_never_signed_in on account (id) where "signedInAt" is null`,
    sql`create table access_token (
      id ${text} primary key,
      "accountId" ${text} not null references account (id) on delete cascade,
      name ${text} not null,
      "tokenHash" ${text} not null unique,
      "createdAt" ${text} not null,
      "expiresAt" ${text},
      "lastUsedAt" ${text},
      "revokedAt" ${text},
      scopes ${text},
      reach ${text},
      constraint access_token_hash check (length("tokenHash") = 64)
    )`,
    sql`create index access_token_by_account_id_id on access_token ("accountId", id)`,
    sql`create table session (
      id ${text} primary key,
      "accountId" ${text} not null references account (id) on delete cascade,
      "tokenHash" ${text} not null unique,
      "createdAt" ${text} not null,
      "lastUsedAt" ${text} not null,
      "expiresAt" ${text} not null,
      "userAgent" ${text} not null,
      "provenAt" ${text},
      "upstreamSid" ${text},
      constraint session_token_hash check (length("tokenHash") = 64)
    )`,
    sql`create index session_by_account_id_id on session ("accountId", id)`,
    sql`create index session_by_expires_at on session ("expiresAt")`,
    sql`create table upstream_identity (
      id ${text} primary key,
      "accountId" ${text} not null references account (id) on delete cascade,
      issuer ${text} not null,
      subject ${text} not null,
      "createdAt" ${text} not null,
      "sealedTokens" ${text},
      "checkedAt" ${text},
      constraint upstream_identity_once unique (issuer, subject)
    )`,
    sql`create index upstream_identity_by_account_id on upstream_identity ("accountId")`,
    sql`create table passkey (
      id ${text} primary key,
      "accountId" ${text} not null references account (id) on delete cascade,
      "credentialId" ${text} not null unique,
      "publicKey" ${text} not null,
      counter bigint not null,
      transports ${text} not null,
      name ${text} not null,
      "createdAt" ${text} not null,
      "lastUsedAt" ${text}
    )`,
    sql`create index passkey_by_account_id_id on passkey ("accountId", id)`,
    sql`create table code_generator (
      id ${text} primary key,
      "accountId" ${text} not null unique references account (id) on delete cascade,
      "sealedSecret" ${text} not null,
      "lastStep" integer not null,
      "createdAt" ${text} not null
    )`,
    sql`create table recovery_code (
      id ${text} primary key,
      "accountId" ${text} not null references account (id) on delete cascade,
      "codeHash" ${text} not null,
      "createdAt" ${text} not null,
      "usedAt" ${text},
      constraint recovery_code_once unique ("accountId", "codeHash")
    )`,
    sql`create table spent_challenge (
      hash ${text} primary key,
      "expiresAt" ${text} not null
    )`,
    sql`create index spent_challenge_by_expires_at on spent_challenge ("expiresAt")`,
    sql`create table profile (
      "ownerId" ${text} primary key references owner (id) on delete cascade,
      "displayName" ${text},
      summary ${text},
      "pictureType" ${text},
      "pictureHash" ${text},
      "pictureBytes" integer default 0 not null,
      picture ${bytes},
      constraint profile_picture check ((picture is null) = ("pictureType" is null) and (picture is null) =
        ("pictureHash" is null) and (picture is null) = ("pictureBytes" = 0)),
      constraint profile_picture_type check ("pictureType" in ('image/png', 'image/jpeg', 'image/webp'))
    )`,

    // Organizations, and what they allow.
    sql`create table organization (
      id ${text} primary key,
      type ${text} default 'organization' not null,
      name ${text} not null,
      "membersCanCreate" integer default 1 not null,
      "defaultBriefPermission" ${text} default 'read' not null,
      "createdBy" ${text} references account (id) on delete set null,
      "createdAt" ${text} not null,
      "updatedAt" ${text} not null,
      protected integer default 0 not null,
      "twoPeople" integer default 1 not null,
      "secondFactorRequired" integer default 0 not null,
      constraint organization_type check (type = 'organization'),
      constraint organization_members_can_create check ("membersCanCreate" in (0, 1)),
      constraint organization_default_brief_permission check ("defaultBriefPermission" in ('none', 'read',
      'write')),
      constraint organization_owner foreign key (id, type) references owner (id, type) on delete cascade
    )`,
    sql`create index organization_by_created_by on organization ("createdBy")`,
    sql`create table stored_membership (
      id ${text} primary key,
      "organizationId" ${text} not null references organization (id) on delete cascade,
      "accountId" ${text} not null references account (id) on delete cascade,
      role ${text} not null,
      "joinedAt" ${text} not null,
      constraint membership_once unique ("organizationId", "accountId"),
      constraint membership_role check (role in ('admin', 'member'))
    )`,
    sql`create index membership_by_organization_id_id on stored_membership ("organizationId", id)`,
    sql`create index membership_by_account_id_id on stored_membership ("accountId", id)`,
    sql`create table organization_policy (
      "organizationId" ${text} primary key references organization (id) on delete cascade,
      "linkMakers" ${text} not null,
      "outsideInviters" ${text} not null,
      "publicDocuments" integer not null,
      "tokenHolders" ${text} default 'anyone' not null check ("tokenHolders" in ('anyone', 'members', 'admins',
      'nobody')),
      "appUsers" ${text} default 'anyone' not null check ("appUsers" in ('anyone', 'members', 'admins', 'nobody')),
      "programDays" integer check ("programDays" between 1 and 365),
      constraint organization_policy_link_makers check ("linkMakers" in ('sharers', 'members', 'admins', 'nobody')),
      constraint organization_policy_outside_inviters check ("outsideInviters" in ('sharers', 'admins', 'nobody')),
      constraint organization_policy_public_documents check ("publicDocuments" in (0, 1))
    )`,
    sql`create index organization_policy_of_programs on organization_policy ("organizationId") where
      "tokenHolders" <> 'anyone' or "appUsers" <> 'anyone' or "programDays" is not null`,

    // Documents. SQLite skips over the content to read a column after it, so the content is the last. Labels of a
    // document in the trash have no visibility.
    sql`create table stored_document (
      id ${text} primary key,
      kind ${text} not null,
      "ownerId" ${text} not null,
      "ownerType" ${text} not null,
      name ${text} not null,
      visibility ${text} not null,
      version integer not null,
      "sizeBytes" integer not null,
      "createdBy" ${text} references account (id) on delete set null,
      "updatedBy" ${text} references account (id) on delete set null,
      "createdAt" ${text} not null,
      "updatedAt" ${text} not null,
      title ${text},
      "storagePath" ${text},
      "deletedBy" ${text} references account (id) on delete set null,
      "deletedAt" ${text},
      "takenDownAt" ${text},
      "takenDownReason" ${text},
      content ${text},
      constraint document_deletion check ("deletedBy" is null or "deletedAt" is not null),
      constraint document_owner foreign key ("ownerId", "ownerType") references owner (id, type) on delete cascade,
      constraint document_kind check (kind in ('brief', 'page')),
      constraint document_name_length check (length(name) between 1 and 100),
      constraint document_visibility check (visibility in ('public', 'private') or (visibility = 'internal' and
        "ownerType" = 'organization')),
      constraint document_version check (version >= 1),
      constraint document_size check ("sizeBytes" >= 0),
      constraint document_content check ((kind = 'brief' and content is not null and "storagePath" is null) or
        (kind = 'page' and content is null and "storagePath" is not null)),
      constraint document_takedown check (("takenDownAt" is null) = ("takenDownReason" is null))
    )`,
    sql`create unique index document_by_storage_path on stored_document ("storagePath") where "storagePath" is not
      null`,
    sql`create index document_by_created_by on stored_document ("createdBy")`,
    sql`create index document_by_updated_by on stored_document ("updatedBy")`,
    sql`create unique index document_name on stored_document ("ownerId", kind, name) where "deletedAt" is null`,
    sql`create index document_by_owner_id_deleted_at_id on stored_document ("ownerId", "deletedAt", id) where
      "deletedAt" is not null`,
    sql`create index document_by_id_deleted_at_owner_id on stored_document (id, "deletedAt", "ownerId") where
      "deletedAt" is not null`,
    sql`create index document_by_deleted_at on stored_document ("deletedAt") where "deletedAt" is not null`,
    sql`create index document_by_deleted_by on stored_document ("deletedBy") where "deletedBy" is not null`,
    sql`create index document_by_owner_id_size on stored_document ("ownerId", "sizeBytes", "deletedAt")`,
    sql`create index document_by_owner_id_kind_visibility_updated_at_id on stored_document ("ownerId", kind,
      visibility, "updatedAt", id ${hidden}) where "deletedAt" is null and "takenDownAt" is null`,
    sql`create index document_public_by_id on stored_document (id ${hidden}) where visibility = 'public' and
      "deletedAt" is null and "takenDownAt" is null`,
    sql`create index document_by_title on stored_document ("ownerId", kind, visibility, lower(coalesce(title,
      name)), id, "deletedAt", "takenDownAt")`,
    sql`create index document_by_taken_down_at on stored_document ("takenDownAt") where "takenDownAt" is not null`,
    sql`create index document_taken_down_by_owner_id on stored_document ("ownerId", "takenDownAt") where
      "takenDownAt" is not null`,
    sql`create index document_by_owner_id_kind_visibility_id on stored_document ("ownerId", kind, visibility, id
      ${hidden}) where "deletedAt" is null and "takenDownAt" is null`,
    sql`create table withdrawn_document (
      "documentId" ${text} primary key references stored_document (id) on delete cascade,
      visibility ${text} not null,
      constraint withdrawn_document_visibility check (visibility in ('public', 'internal'))
    ) ${keptWithKey}`,
    sql`create table document_alias (
      "ownerId" ${text} not null references owner (id) on delete cascade,
      kind ${text} not null,
      name ${text} not null,
      "documentId" ${text} not null references stored_document (id) on delete cascade,
      visibility ${text} not null,
      constraint document_alias_key primary key ("ownerId", kind, name),
      constraint document_alias_kind check (kind in ('brief', 'page')),
      constraint document_alias_visibility check (visibility in ('public', 'private', 'internal'))
    ) ${keptWithKey}`,
    sql`create index document_alias_by_document_id on document_alias ("documentId")`,
    sql`create table protected_address (
      "ownerId" ${text} not null references owner (id) on delete cascade,
      kind ${text} not null,
      name ${text} not null,
      "documentId" ${text} not null,
      "twoPeople" integer not null,
      constraint protected_address_of_document primary key ("ownerId", kind, name, "documentId")
    ) ${keptWithKey}`,
    sql`create table document_label (
      "documentId" ${text} not null references stored_document (id) on delete cascade,
      key ${text} not null,
      "ownerId" ${text} not null,
      label ${text} not null,
      kind ${text},
      visibility ${text},
      "updatedAt" ${text},
      "titleKey" ${text},
      constraint document_label_key primary key ("documentId", key)
    ) ${keptWithKey}`,
    sql`create index document_label_by_change on document_label ("ownerId", key, kind, visibility, "updatedAt",
      "documentId")`,
    sql`create index document_label_by_creation on document_label ("ownerId", key, kind, visibility, "documentId")`,
    sql`create index document_label_by_title on document_label ("ownerId", key, kind, visibility, "titleKey",
      "documentId")`,
    sql`create table pinned_document (
      "documentId" ${text} primary key references stored_document (id) on delete cascade,
      "ownerId" ${text} not null,
      "pinnedAt" ${text} not null
    )`,
    sql`create index pinned_document_by_owner on pinned_document ("ownerId", "pinnedAt")`,
    sql`create table rendition (
      "documentId" ${text} not null references stored_document (id) on delete cascade,
      revision ${text} not null,
      version integer not null,
      "createdAt" ${text} not null,
      html ${bytes} not null,
      constraint rendition_key primary key ("documentId", revision)
    )`,
    sql`create table search_pending (
      "documentId" ${text} primary key,
      stamp ${text} not null,
      "claimedUntil" ${text} not null
    ) ${keptWithKey}`,
    sql`create table document_reference (
      "documentId" ${text} not null references stored_document (id) on delete cascade,
      "ownerId" ${text} not null,
      kind ${text} not null,
      name ${text} not null,
      constraint document_reference_key primary key ("documentId", "ownerId", kind, name)
    ) ${keptWithKey}`,
    sql`create index document_reference_by_target on document_reference ("ownerId", kind, name, "documentId")`,
    sql`create table seen (
      "documentId" ${text} not null references stored_document (id) on delete cascade,
      "accountId" ${text} not null references account (id) on delete cascade,
      version integer not null,
      constraint seen_key primary key ("documentId", "accountId")
    ) ${keptWithKey}`,
    sql`create index seen_by_account_id on seen ("accountId")`,

    // Who is at a document: without foreign keys, because rows count for a minute, and writing them locks nothing.
    sql`create table presence (
      "documentId" ${text} not null,
      key ${text} not null,
      "accountId" ${text} not null,
      "sessionId" ${text},
      via ${text} not null,
      "viaName" ${text},
      doing ${text} not null,
      line integer,
      at ${text} not null,
      constraint presence_key primary key ("documentId", key)
    )`,

    // Sharing.
    sql`create table collaborator (
      id ${text} primary key,
      "documentId" ${text} not null references stored_document (id) on delete cascade,
      "accountId" ${text} not null references account (id) on delete cascade,
      permission ${text} not null,
      "addedAt" ${text} not null,
      constraint collaborator_once unique ("documentId", "accountId"),
      constraint collaborator_permission check (permission in ('read', 'write', 'admin'))
    )`,
    sql`create index collaborator_by_document_id_id on collaborator ("documentId", id)`,
    sql`create index collaborator_by_account_id_document_id on collaborator ("accountId", "documentId")`,
    sql`create table stopped_collaborator (
      id ${text} primary key,
      "documentId" ${text} not null references stored_document (id) on delete cascade,
      "accountId" ${text} not null references account (id) on delete cascade,
      permission ${text} not null,
      "addedAt" ${text} not null
    )`,
    sql`create unique index stopped_collaborator_by_document on stopped_collaborator ("documentId", "accountId")`,
    sql`create index stopped_collaborator_by_account on stopped_collaborator ("accountId")`,
    sql`create table invitation (
      id ${text} primary key,
      "documentId" ${text} references stored_document (id) on delete cascade,
      "organizationId" ${text} references organization (id) on delete cascade,
      level ${text} not null,
      "recipientId" ${text} references account (id) on delete cascade,
      email ${text},
      "emailKey" ${text},
      "tokenHash" ${text} unique,
      "invitedBy" ${text} references account (id) on delete set null,
      "createdAt" ${text} not null,
      "expiresAt" ${text} not null,
      "sealedToken" ${text},
      "byPerson" integer not null default 0,
      constraint invitation_target check (("documentId" is null) <> ("organizationId" is null)),
      constraint invitation_level check (("documentId" is not null and level in ('read', 'write', 'admin')) or
        ("organizationId" is not null and level in ('admin', 'member'))),
      constraint invitation_recipient check (("recipientId" is null) <> (email is null) and (email is null) =
        ("emailKey" is null) and (email is null) = ("tokenHash" is null)),
      constraint invitation_of_account_to_document unique ("documentId", "recipientId"),
      constraint invitation_of_address_to_document unique ("documentId", "emailKey"),
      constraint invitation_of_account_to_organization unique ("organizationId", "recipientId"),
      constraint invitation_of_address_to_organization unique ("organizationId", "emailKey")
    )`,
    sql`create index invitation_by_document_id_id on invitation ("documentId", id)`,
    sql`create index invitation_by_organization_id_id on invitation ("organizationId", id)`,
    sql`create index invitation_by_recipient_id_id on invitation ("recipientId", id)`,
    sql`create index invitation_by_invited_by on invitation ("invitedBy")`,
    sql`create index invitation_of_address_by_expires_at on invitation ("expiresAt") where "emailKey" is not null`,
    sql`create table sign_up_invitation (
      id ${text} primary key,
      "tokenHash" ${text} not null,
      "sealedToken" ${text},
      email ${text} not null,
      "createdBy" ${text} references account (id) on delete cascade,
      "createdAt" ${text} not null,
      "expiresAt" ${text} not null,
      constraint sign_up_invitation_token_hash unique ("tokenHash")
    )`,
    sql`create index sign_up_invitation_by_created_by on sign_up_invitation ("createdBy")`,
    sql`create index sign_up_invitation_by_expires_at on sign_up_invitation ("expiresAt")`,
    sql`create table document_link (
      id ${text} primary key,
      "documentId" ${text} not null references stored_document (id) on delete cascade,
      "secretHash" ${text} not null unique,
      access ${text} not null,
      note ${text} not null,
      "createdBy" ${text} references account (id) on delete set null,
      "createdAt" ${text} not null,
      "expiresAt" ${text},
      "sealedSecret" ${text},
      "passwordHash" ${text},
      constraint document_link_access check (access in ('read', 'comment'))
    )`,
    sql`create index document_link_by_document_id_id on document_link ("documentId", id)`,
    sql`create index document_link_by_created_by on document_link ("createdBy")`,
    sql`create index document_link_by_expires_at on document_link ("expiresAt")`,

    // Revisions, and who wrote what.
    sql`create table revision (
      "documentId" ${text} not null references stored_document (id) on delete cascade,
      version integer not null,
      "accountId" ${text} references account (id) on delete set null,
      via ${text},
      "viaName" ${text},
      changed ${text} not null,
      message ${text},
      "baseVersion" integer,
      merged integer default 0 not null,
      "restoredFrom" integer,
      pinned integer default 0 not null,
      at ${text} not null,
      "seenBy" ${text} references account (id) on delete set null,
      "sittingId" ${text},
      "wordLines" ${text},
      constraint revision_key primary key ("documentId", version),
      constraint revision_version check (version >= 1),
      constraint revision_via check (via in ('web', 'token', 'application')),
      constraint revision_flags check (merged in (0, 1) and pinned in (0, 1))
    ) ${keptWithKey}`,
    sql`create index revision_by_account_id on revision ("accountId")`,
    sql`create index revision_by_seen_by on revision ("seenBy") where "seenBy" is not null`,
    sql`create table revision_text (
      "documentId" ${text} not null references stored_document (id) on delete cascade,
      "lastVersion" integer not null,
      coding ${text} not null,
      "dictVersion" integer,
      "sizeBytes" integer not null,
      "storedBytes" integer not null,
      "storagePath" ${text},
      body ${bytes},
      constraint revision_text_key primary key ("documentId", "lastVersion"),
      constraint revision_text_coding check (coding in ('raw', 'zst', 'zst+dict', 'gone') and (coding =
        'zst+dict') = ("dictVersion" is not null)),
      constraint revision_text_body check (case when coding = 'gone' then body is null and "storagePath" is null
        else (body is null) <> ("storagePath" is null) end)
    )`,
    sql`create unique index revision_text_by_storage_path on revision_text ("storagePath") where "storagePath" is
      not null`,
    sql`create index revision_text_raw on revision_text ("documentId", "lastVersion") where coding = 'raw'`,
    sql`create table co_writer (
      "documentId" ${text} not null,
      version integer not null,
      "accountId" ${text} not null references account (id) on delete cascade,
      constraint co_writer_key primary key ("documentId", version, "accountId"),
      foreign key ("documentId", version) references revision ("documentId", version) on delete cascade
    )`,
    sql`create index co_writer_by_account_id on co_writer ("accountId")`,
    sql`create table written_span (
      "documentId" ${text} not null,
      version integer not null,
      start integer not null,
      length integer not null,
      "accountId" ${text} references account (id) on delete set null,
      via ${text},
      "viaName" ${text},
      constraint written_span_key primary key ("documentId", version, start),
      foreign key ("documentId", version) references revision ("documentId", version) on delete cascade
    )`,
    sql`create index written_span_by_account_id on written_span ("accountId")`,
    sql`create table authorship (
      "documentId" ${text} not null references stored_document (id) on delete cascade,
      version integer not null,
      spans ${text} not null,
      constraint authorship_key primary key ("documentId", version)
    )`,

    // Texts that are being edited, as numbered changes that become revisions from time to time.
    sql`create table live_document (
      "documentId" ${text} primary key references stored_document (id) on delete cascade,
      "listId" ${text} not null,
      "lastNumber" integer not null,
      "textNumber" integer not null,
      "textVersion" integer not null,
      "seenVersion" integer not null,
      "sittingId" ${text},
      "unsavedSince" ${text},
      "changedAt" ${text} not null
    )`,
    sql`create index live_document_by_changed_at on live_document ("changedAt")`,
    sql`create table live_change (
      "documentId" ${text} not null references live_document ("documentId") on delete cascade,
      number integer not null,
      "clientId" ${text} not null,
      "accountId" ${text} references account (id) on delete set null,
      via ${text},
      "viaName" ${text},
      changes ${text} not null,
      version integer,
      at ${text} not null,
      replaces integer default 0 not null,
      constraint live_change_key primary key ("documentId", number)
    )`,
    sql`create index live_change_by_account_id on live_change ("accountId")`,
    sql`create table live_client (
      "documentId" ${text} not null references stored_document (id) on delete cascade,
      "clientId" ${text} not null,
      "accountId" ${text} not null references account (id) on delete cascade,
      taken integer not null,
      at ${text} not null,
      constraint live_client_key primary key ("documentId", "clientId")
    )`,
    sql`create index live_client_by_account_id on live_client ("accountId")`,
    sql`create index live_client_by_at on live_client (at)`,

    // Threads, suggestions, proposals and reviews.
    sql`create table review_setting (
      "documentId" ${text} primary key references stored_document (id) on delete cascade,
      comments ${text} not null,
      protected integer default 0 not null,
      "twoPeople" integer default 0 not null,
      "threadsSince" ${text},
      constraint review_setting_comments check (comments in ('insiders', 'readers', 'off')),
      constraint review_setting_protected check (protected in (0, 1))
    )`,
    sql`create table thread (
      id ${text} primary key,
      "documentId" ${text} not null references stored_document (id) on delete cascade,
      kind ${text} not null,
      state ${text} not null,
      "madeVersion" integer not null,
      "madeStart" integer,
      "madeEnd" integer,
      quote ${text},
      prefix ${text},
      suffix ${text},
      "atVersion" integer not null,
      "atStart" integer,
      "atEnd" integer,
      "atState" ${text},
      "shownStart" integer,
      "shownEnd" integer,
      "shownState" ${text},
      replacement ${text},
      "accountId" ${text} references account (id) on delete set null,
      via ${text},
      "viaName" ${text},
      "assigneeId" ${text} references account (id) on delete set null,
      "createdAt" ${text} not null,
      "updatedAt" ${text} not null,
      "closedBy" ${text} references account (id) on delete set null,
      "closedVersion" integer,
      element ${text},
      "seenBy" ${text} references account (id) on delete set null,
      "wordsBy" ${text} references account (id) on delete set null,
      "setId" ${text},
      "atAround" ${text},
      constraint thread_kind check (kind in ('comment', 'replacement', 'proposal')),
      constraint thread_state check (state in ('open', 'resolved', 'accepted', 'rejected')),
      constraint thread_via check (via in ('web', 'token', 'application')),
      constraint thread_place check ((quote is null) = ("madeStart" is null) and (quote is null) = ("atStart" is
        null) and (quote is null) = ("shownStart" is null))
    )`,
    sql`create index thread_by_document_id_state_id on thread ("documentId", state, id)`,
    sql`create index thread_by_account_id on thread ("accountId")`,
    sql`create index thread_by_assignee_id on thread ("assigneeId")`,
    sql`create index thread_by_closed_by on thread ("closedBy")`,
    sql`create index thread_by_seen_by on thread ("seenBy") where "seenBy" is not null`,
    sql`create index thread_by_words_by on thread ("wordsBy") where "wordsBy" is not null`,
    sql`create table thread_writer (
      "threadId" ${text} not null references thread (id) on delete cascade,
      number integer not null,
      "accountId" ${text} references account (id) on delete set null,
      constraint thread_writer_key primary key ("threadId", number)
    )`,
    sql`create index thread_writer_by_account_id on thread_writer ("accountId")`,
    sql`create table comment (
      id ${text} primary key,
      "threadId" ${text} not null references thread (id) on delete cascade,
      "accountId" ${text} references account (id) on delete set null,
      via ${text},
      "viaName" ${text},
      body ${text} not null,
      "createdAt" ${text} not null,
      "editedAt" ${text},
      constraint comment_via check (via in ('web', 'token', 'application'))
    )`,
    sql`create index comment_by_thread_id_id on comment ("threadId", id)`,
    sql`create index comment_by_account_id on comment ("accountId")`,
    sql`create table proposal (
      "threadId" ${text} primary key references thread (id) on delete cascade,
      "sizeBytes" integer not null,
      "storedBytes" integer not null,
      "storagePath" ${text},
      body ${bytes},
      added integer not null,
      removed integer not null,
      constraint proposal_body check ((body is null) <> ("storagePath" is null))
    )`,
    sql`create unique index proposal_by_storage_path on proposal ("storagePath") where "storagePath" is not null`,
    sql`create table review_request (
      "documentId" ${text} not null references stored_document (id) on delete cascade,
      "accountId" ${text} not null references account (id) on delete cascade,
      "requestedBy" ${text} references account (id) on delete set null,
      version integer not null,
      note ${text},
      "createdAt" ${text} not null,
      "appointedBy" ${text} references account (id) on delete set null,
      constraint review_request_key primary key ("documentId", "accountId")
    ) ${keptWithKey}`,
    sql`create index review_request_by_account_id on review_request ("accountId")`,
    sql`create index review_request_by_requested_by on review_request ("requestedBy")`,
    sql`create index review_request_by_appointed_by on review_request ("appointedBy") where "appointedBy" is not
      null`,
    sql`create table review (
      id ${text} primary key,
      "documentId" ${text} not null references stored_document (id) on delete cascade,
      "accountId" ${text} references account (id) on delete set null,
      version integer not null,
      verdict ${text} not null,
      body ${text},
      via ${text},
      "viaName" ${text},
      "createdAt" ${text} not null,
      constraint review_verdict check (verdict in ('approved', 'changes_requested')),
      constraint review_via check (via in ('web', 'token', 'application'))
    )`,
    sql`create index review_by_document_id_id on review ("documentId", id)`,
    sql`create index review_by_account_id on review ("accountId")`,

    // What happened to documents, whom it concerns, and who watches what.
    sql`create table event (
      id ${text} primary key,
      "documentId" ${text} not null references stored_document (id) on delete cascade,
      "ownerId" ${text} not null,
      type ${text} not null,
      "accountId" ${text} references account (id) on delete set null,
      via ${text},
      "viaName" ${text},
      version integer,
      "threadId" ${text},
      "targetId" ${text} references account (id) on delete set null,
      mentions ${text},
      at ${text} not null,
      position integer,
      "firstVersion" integer,
      constraint event_via check (via in ('web', 'token', 'application')),
      constraint event_position check (position >= 1)
    )`,
    sql`create unique index event_by_position on event (position) where position is not null`,
    sql`create index event_without_position on event (id) where position is null`,
    sql`create index event_by_document_id_position on event ("documentId", position)`,
    sql`create index event_by_account_id on event ("accountId")`,
    sql`create index event_by_target_id on event ("targetId") where "targetId" is not null`,
    sql`create table feed (
      id integer primary key,
      position integer not null,
      "removedUntil" integer not null,
      constraint feed_one_row check (id = 1)
    )`,
    sql`create table inbox (
      "accountId" ${text} not null references account (id) on delete cascade,
      position integer not null,
      reason ${text} not null,
      "readAt" ${text},
      "laterUntil" ${text},
      constraint inbox_key primary key ("accountId", position),
      constraint inbox_reason check (reason in ('mention', 'review', 'watching', 'own'))
    ) ${keptWithKey}`,
    sql`create index inbox_by_position on inbox (position)`,
    sql`create index inbox_unread on inbox ("accountId", position) where "readAt" is null`,
    sql`create table watch (
      "documentId" ${text} not null references stored_document (id) on delete cascade,
      "accountId" ${text} not null references account (id) on delete cascade,
      level ${text} not null,
      constraint watch_key primary key ("documentId", "accountId"),
      constraint watch_level check (level in ('all', 'mentions', 'none'))
    ) ${keptWithKey}`,
    sql`create index watch_by_account_id on watch ("accountId")`,

    // Mails to send. They refer to documents, invitations and events by id alone: what is gone when a mail is due
    // isn’t mailed. Mails about security have no account, so that they survive its deletion.
    sql`create table mail (
      id ${text} primary key,
      "accountId" ${text} references account (id) on delete cascade,
      kind ${text} not null,
      "documentId" ${text},
      position integer,
      "invitationId" ${text},
      "sealedToken" ${text},
      notice ${text},
      "createdAt" ${text} not null,
      "dueAt" ${text} not null,
      "claimedUntil" ${text},
      attempts integer not null,
      fault ${text},
      constraint mail_kind check (kind in ('document_invitation', 'organization_invitation', 'email_invitation',
      'mention', 'review', 'answer', 'digest', 'verification', 'security')),
      constraint mail_subject check ((kind in ('document_invitation', 'organization_invitation',
      'email_invitation')) = ("invitationId" is not null) and (kind in ('mention', 'review', 'answer')) =
        ("documentId" is not null) and (kind in ('mention', 'review', 'answer', 'digest')) = (position is not
        null) and (kind in ('email_invitation', 'security')) = ("accountId" is null) and (kind =
        'email_invitation') = ("sealedToken" is not null) and (kind = 'security') = (notice is not null))
    )`,
    sql`create index mail_by_due_at on mail ("dueAt", id)`,
    sql`create index mail_by_account_id on mail ("accountId", "documentId")`,
    sql`create unique index mail_one_digest on mail ("accountId") where kind = 'digest'`,
    sql`create unique index mail_one_verification on mail ("accountId") where kind = 'verification'`,
    sql`create table mail_preference (
      "accountId" ${text} not null references account (id) on delete cascade,
      topic ${text} not null,
      "isOn" integer not null,
      constraint mail_preference_key primary key ("accountId", topic),
      constraint mail_preference_topic check (topic in ('invitation', 'mention', 'review', 'answer', 'digest')),
      constraint mail_preference_is_on check ("isOn" in (0, 1))
    ) ${keptWithKey}`,
    sql`create table unsubscribed_address (
      "addressHash" ${text} primary key,
      "createdAt" ${text} not null
    )`,

    // Webhooks. A delivery goes with its event; one without an event is a test.
    sql`create table webhook (
      id ${text} primary key,
      "ownerId" ${text} not null references owner (id) on delete cascade,
      "accountId" ${text} references account (id) on delete set null,
      url ${text} not null,
      types ${text} not null,
      secret ${text} not null,
      "previousSecret" ${text},
      "previousUntil" ${text},
      "failingSince" ${text},
      "disabledAt" ${text},
      "disabledBecause" ${text},
      "createdAt" ${text} not null,
      constraint webhook_disabled check ("disabledBecause" in ('request', 'gone', 'failing')),
      constraint webhook_state check (("disabledAt" is null) = ("disabledBecause" is null) and ("previousSecret" is
        null) = ("previousUntil" is null))
    )`,
    sql`create index webhook_by_owner_id on webhook ("ownerId")`,
    sql`create index webhook_by_account_id on webhook ("accountId")`,
    sql`create table webhook_delivery (
      id ${text} primary key,
      "webhookId" ${text} not null references webhook (id) on delete cascade,
      "eventId" ${text} references event (id) on delete cascade,
      status ${text} not null,
      attempt integer not null,
      "nextAt" ${text},
      code integer,
      fault ${text},
      "createdAt" ${text} not null,
      "attemptedAt" ${text},
      constraint webhook_delivery_status check (status in ('pending', 'delivered', 'failed')),
      constraint webhook_delivery_pending check ((status = 'pending') = ("nextAt" is not null)),
      constraint webhook_delivery_fault check (fault in ('address', 'connection', 'timeout', 'status',
      'disabled'))
    )`,
    sql`create index webhook_delivery_by_webhook_id_id on webhook_delivery ("webhookId", id)`,
    sql`create index webhook_delivery_by_event_id on webhook_delivery ("eventId")`,
    sql`create index webhook_delivery_by_created_at on webhook_delivery ("createdAt")`,
    sql`create index webhook_delivery_pending on webhook_delivery ("nextAt", "webhookId") where status = 'pending'`,

    // Applications that act for people.
    sql`create table signing_key (
      id ${text} primary key,
      secret ${text} not null,
      "createdAt" ${text} not null
    )`,
    sql`create table oauth_client (
      id ${text} primary key,
      "secretHash" ${text},
      metadata ${text} not null,
      "createdAt" ${text} not null,
      "lastAuthorizedAt" ${text}
    )`,
    sql`create table oauth_grant (
      id ${text} primary key,
      "accountId" ${text} not null references account (id) on delete cascade,
      "clientId" ${text} not null,
      "clientName" ${text} not null,
      "clientHost" ${text} not null,
      resources ${text} not null,
      scopes ${text} not null,
      "refusedScopes" ${text} not null,
      "createdAt" ${text} not null,
      "expiresAt" ${text} not null,
      "lastUsedAt" ${text},
      reach ${text}
    )`,
    sql`create index oauth_grant_by_account_id_client_id on oauth_grant ("accountId", "clientId")`,
    sql`create index oauth_grant_by_client_id on oauth_grant ("clientId")`,
    sql`create index oauth_grant_by_expires_at on oauth_grant ("expiresAt")`,
    sql`create table oauth_token (
      "tokenHash" ${text} primary key,
      kind ${text} not null,
      "grantId" ${text} not null references oauth_grant (id) on delete cascade,
      scopes ${text} not null,
      audience ${text},
      payload ${text} not null,
      "createdAt" ${text} not null,
      "expiresAt" ${text} not null,
      "consumedAt" ${text},
      constraint oauth_token_hash check (length("tokenHash") = 64),
      constraint oauth_token_kind check (kind in ('code', 'access', 'refresh'))
    )`,
    sql`create index oauth_token_by_grant_id on oauth_token ("grantId")`,
    sql`create index oauth_token_by_expires_at on oauth_token ("expiresAt")`,
    sql`create table oauth_flow (
      "idHash" ${text} primary key,
      kind ${text} not null,
      "accountId" ${text} references account (id) on delete cascade,
      payload ${text} not null,
      "expiresAt" ${text} not null,
      constraint oauth_flow_hash check (length("idHash") = 64),
      constraint oauth_flow_kind check (kind in ('interaction', 'decision'))
    )`,
    sql`create index oauth_flow_by_account_id on oauth_flow ("accountId")`,
    sql`create index oauth_flow_by_expires_at on oauth_flow ("expiresAt")`,
    sql`create table oauth_key (
      purpose ${text} not null,
      generation integer not null,
      secret ${text} not null,
      "createdAt" ${text} not null,
      constraint oauth_key_key primary key (purpose, generation),
      constraint oauth_key_purpose check (purpose in ('signing', 'cookie'))
    )`,
    sql`create table oauth_device (
      "deviceHash" ${text} primary key,
      "userHash" ${text} not null unique,
      payload ${text} not null,
      answer ${text},
      "grantId" ${text} references oauth_grant (id) on delete cascade,
      "expiresAt" ${text} not null,
      "consumedAt" ${text},
      constraint oauth_device_hash check (length("deviceHash") = 64)
    )`,
    sql`create index oauth_device_by_grant_id on oauth_device ("grantId")`,
    sql`create index oauth_device_by_expires_at on oauth_device ("expiresAt")`,

    // Files.
    sql`create table file (
      id ${text} primary key,
      "accountId" ${text} not null references account (id) on delete cascade,
      address ${text} not null unique,
      name ${text} not null,
      "contentType" ${text} not null,
      "sizeBytes" integer not null,
      "storagePath" ${text} not null unique,
      "createdAt" ${text} not null,
      constraint file_size check ("sizeBytes" >= 0)
    )`,
    sql`create index file_by_account_id_id on file ("accountId", id)`,
    sql`create table upload_ticket (
      id ${text} primary key,
      "secretHash" ${text} not null unique,
      "accountId" ${text} not null references account (id) on delete cascade,
      "tokenId" ${text} references access_token (id) on delete cascade,
      "grantId" ${text} references oauth_grant (id) on delete cascade,
      "documentId" ${text} references stored_document (id) on delete cascade,
      task ${text} not null,
      "expiresAt" ${text} not null,
      constraint upload_ticket_credential check (("tokenId" is null) <> ("grantId" is null))
    )`,
    sql`create index upload_ticket_by_account_id on upload_ticket ("accountId")`,
    sql`create index upload_ticket_by_token_id on upload_ticket ("tokenId")`,
    sql`create index upload_ticket_by_grant_id on upload_ticket ("grantId")`,
    sql`create index upload_ticket_by_document_id on upload_ticket ("documentId")`,
    sql`create index upload_ticket_by_expires_at on upload_ticket ("expiresAt")`,

    // The instance. An entry of the audit trail refers to nothing, so that it outlives what it tells of.
    sql`create table audit_entry (
      id ${text} primary key,
      at ${text} not null,
      action ${text} not null,
      "actorId" ${text},
      "actorName" ${text},
      means ${text} not null,
      "meansName" ${text},
      address ${text},
      device ${text},
      "accountId" ${text},
      "ownerId" ${text},
      "documentId" ${text},
      subject ${text},
      detail ${text},
      constraint audit_entry_means check (means in ('web', 'token', 'application', 'command', 'service'))
    )`,
    sql`create index audit_entry_by_actor_id on audit_entry ("actorId", id)`,
    sql`create index audit_entry_by_account_id on audit_entry ("accountId", id)`,
    sql`create index audit_entry_by_owner_id on audit_entry ("ownerId", id)`,
    sql`create index audit_entry_by_at on audit_entry (at)`,
    sql`create index audit_entry_by_account_at on audit_entry ("accountId", at)`,
    sql`create table document_report (
      id ${text} primary key,
      "documentId" ${text} not null references stored_document (id) on delete cascade,
      kind ${text} not null,
      words ${text} not null,
      "reporterId" ${text} references account (id) on delete set null,
      email ${text},
      "reporterKey" ${text} not null,
      "createdAt" ${text} not null,
      "mailedAt" ${text},
      "closedAt" ${text},
      outcome ${text},
      constraint document_report_kind check (kind in ('spam', 'abuse', 'illegal', 'copyright', 'personal_data',
      'other')),
      constraint document_report_outcome check (outcome in ('taken_down', 'dismissed', 'closed')),
      constraint document_report_state check (("closedAt" is null) = (outcome is null))
    )`,
    sql`create unique index document_report_open on document_report ("documentId", "reporterKey") where "closedAt"
      is null`,
    sql`create index document_report_by_document_id on document_report ("documentId", id)`,
    sql`create index document_report_by_closed_at on document_report ("closedAt", id)`,
    sql`create index document_report_by_reporter_id on document_report ("reporterId")`,
    sql`create index document_report_by_mailed_at on document_report ("mailedAt") where "mailedAt" is not null`,
    sql`create table quota (
      "ownerId" ${text} not null references owner (id) on delete cascade,
      name ${text} not null,
      amount bigint,
      primary key ("ownerId", name)
    )`,
    sql`create table owner_usage (
      "ownerId" ${text} primary key references owner (id) on delete cascade,
      documents bigint not null,
      bytes bigint not null,
      "fileBytes" bigint not null,
      "dayStart" ${text} not null,
      "dayDocuments" bigint not null
    )`,
    sql`create table answered_request (
      "accountId" ${text} not null references account (id) on delete cascade,
      "requestKey" ${text} not null,
      "requestHash" ${text} not null,
      answer ${text},
      at ${text} not null,
      constraint answered_request_key primary key ("accountId", "requestKey")
    ) ${keptWithKey}`,
    sql`create index answered_request_by_at on answered_request (at)`,
    sql`create table instance_state (
      name ${text} primary key,
      value ${text} not null
    ) ${keptWithKey}`,
    sql`create table own_address (
      url ${text} not null,
      place ${text} not null,
      "lastUsedAt" ${text} not null,
      constraint own_address_key primary key (url, place)
    )`,

    // What is neither deleted nor taken down.
    sql`create view document as select * from stored_document
    where "deletedAt" is null and "takenDownAt" is null`,
    // The memberships that count: those of members whom their organization's rule does not shut out. Subqueries,
    // because SQLite can't flatten a view of several tables that stands in a left join.
    sql`create view membership as
    select id, "organizationId", "accountId", role, "joinedAt" from stored_membership
    where not exists (select 1 from organization where organization.id = stored_membership."organizationId"
        and organization."secondFactorRequired" = 1)
      or exists (select 1 from account where account.id = stored_membership."accountId"
        and account."secondFactorAt" is not null)`,
  ];
}
