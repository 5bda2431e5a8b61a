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
const schema = ({ text, bytes, keptWithKey }: Capabilities): RawBuilder<unknown>[] => [
  // Accounts, and how people sign in. Names of deleted owners stay reserved for a while. The pair (id, type) ties
  // a row to an owner of its own type, so no id can be a user and an organization at once.
  sql`create table owner (
    id ${text} primary key,
    type ${text} not null,
    namespace ${text} not null unique,
    constraint owner_id_type unique (id, type),
    constraint owner_type check (type in ('user', 'organization')),
    constraint owner_namespace check (length(namespace) between 1 and 39 and namespace = lower(namespace)
      and namespace not like '-%' and namespace not like '%-' and namespace not like '%--%')
  )`,
  sql`create table released_namespace (
    namespace ${text} primary key,
    released_at ${text} not null
  )`,
  sql`create table account (
    id ${text} primary key,
    type ${text} default 'user' not null,
    email ${text} not null,
    email_key ${text} not null unique,
    disabled_at ${text},
    created_at ${text} not null,
    password_hash ${text},
    email_verified_at ${text},
    constraint account_type check (type = 'user'),
    constraint account_owner foreign key (id, type) references owner (id, type) on delete cascade
  )`,
  sql`create table access_token (
    id ${text} primary key,
    account_id ${text} not null references account (id) on delete cascade,
    name ${text} not null,
    token_hash ${text} not null unique,
    created_at ${text} not null,
    expires_at ${text},
    last_used_at ${text},
    revoked_at ${text},
    scopes ${text},
    constraint access_token_hash check (length(token_hash) = 64)
  )`,
  sql`create index access_token_by_account_id_id on access_token (account_id, id)`,
  sql`create table session (
    id ${text} primary key,
    account_id ${text} not null references account (id) on delete cascade,
    token_hash ${text} not null unique,
    created_at ${text} not null,
    last_used_at ${text} not null,
    expires_at ${text} not null,
    user_agent ${text} not null,
    constraint session_token_hash check (length(token_hash) = 64)
  )`,
  sql`create index session_by_account_id_id on session (account_id, id)`,
  sql`create index session_by_expires_at on session (expires_at)`,
  sql`create table upstream_identity (
    id ${text} primary key,
    account_id ${text} not null references account (id) on delete cascade,
    issuer ${text} not null,
    subject ${text} not null,
    created_at ${text} not null,
    constraint upstream_identity_once unique (issuer, subject)
  )`,
  sql`create index upstream_identity_by_account_id on upstream_identity (account_id)`,
  sql`create table profile (
    owner_id ${text} primary key references owner (id) on delete cascade,
    display_name ${text},
    summary ${text},
    picture_type ${text},
    picture_hash ${text},
    picture_bytes integer default 0 not null,
    picture ${bytes},
    constraint profile_picture check ((picture is null) = (picture_type is null)
      and (picture is null) = (picture_hash is null) and (picture is null) = (picture_bytes = 0)),
    constraint profile_picture_type check (picture_type in ('image/png', 'image/jpeg', 'image/webp'))
  )`,

  // Organizations.
  sql`create table organization (
    id ${text} primary key,
    type ${text} default 'organization' not null,
    name ${text} not null,
    members_can_create integer default 1 not null,
    default_brief_permission ${text} default 'read' not null,
    created_by ${text} references account (id) on delete set null,
    created_at ${text} not null,
    updated_at ${text} not null,
    protected integer default 0 not null,
    two_people integer default 1 not null,
    constraint organization_type check (type = 'organization'),
    constraint organization_members_can_create check (members_can_create in (0, 1)),
    constraint organization_default_brief_permission check (default_brief_permission in ('none', 'read', 'write')),
    constraint organization_owner foreign key (id, type) references owner (id, type) on delete cascade
  )`,
  sql`create index organization_by_created_by on organization (created_by)`,
  sql`create table membership (
    id ${text} primary key,
    organization_id ${text} not null references organization (id) on delete cascade,
    account_id ${text} not null references account (id) on delete cascade,
    role ${text} not null,
    joined_at ${text} not null,
    constraint membership_once unique (organization_id, account_id),
    constraint membership_role check (role in ('admin', 'member'))
  )`,
  sql`create index membership_by_organization_id_id on membership (organization_id, id)`,
  sql`create index membership_by_account_id_id on membership (account_id, id)`,
  sql`create table organization_invitation (
    id ${text} primary key,
    organization_id ${text} not null references organization (id) on delete cascade,
    target_id ${text} not null references account (id) on delete cascade,
    role ${text} not null,
    invited_by ${text} references account (id) on delete set null,
    created_at ${text} not null,
    expires_at ${text} not null,
    constraint organization_invitation_once unique (organization_id, target_id),
    constraint organization_invitation_role check (role in ('admin', 'member'))
  )`,
  sql`create index organization_invitation_by_organization_id_id on organization_invitation (organization_id, id)`,
  sql`create index organization_invitation_by_target_id_id on organization_invitation (target_id, id)`,
  sql`create index organization_invitation_by_invited_by on organization_invitation (invited_by)`,

  // Documents. Lists are counted by blocks of 2,048 ids. Former names, labels and pins refer to their document by
  // id alone, because it keeps them in the trash. Labels of a document in the trash have no visibility.
  sql`create table document (
    id ${text} primary key,
    kind ${text} not null,
    owner_id ${text} not null,
    owner_type ${text} not null,
    name ${text} not null,
    visibility ${text} not null,
    version integer not null,
    size_bytes integer not null,
    created_by ${text} references account (id) on delete set null,
    updated_by ${text} references account (id) on delete set null,
    created_at ${text} not null,
    updated_at ${text} not null,
    title ${text},
    storage_path ${text},
    content ${text},
    constraint document_owner foreign key (owner_id, owner_type) references owner (id, type) on delete cascade,
    constraint document_name unique (owner_id, kind, name),
    constraint document_kind check (kind in ('brief', 'page')),
    constraint document_name_length check (length(name) between 1 and 100),
    constraint document_visibility check (visibility in ('public', 'private') or (visibility = 'internal'
      and owner_type = 'organization')),
    constraint document_version check (version >= 1),
    constraint document_size check (size_bytes >= 0),
    constraint document_content check ((kind = 'brief' and content is not null and storage_path is null)
      or (kind = 'page' and content is null and storage_path is not null))
  )`,
  sql`create unique index document_by_storage_path on document (storage_path) where storage_path is not null`,
  sql`create index document_by_owner_id_kind_visibility_id on document (owner_id, kind, visibility, id)`,
  sql`create index document_by_created_by on document (created_by)`,
  sql`create index document_by_updated_by on document (updated_by)`,
  sql`create index document_by_owner_id_kind_visibility_updated_at_id on document (owner_id, kind, visibility,
      updated_at, id)`,
  sql`create index document_public_by_id on document (id) where visibility = 'public'`,
  sql`create index document_by_title on document (owner_id, kind, visibility, lower(coalesce(title, name)), id)`,
  sql`create table document_alias (
    owner_id ${text} not null references owner (id) on delete cascade,
    kind ${text} not null,
    name ${text} not null,
    document_id ${text} not null,
    visibility ${text} not null,
    constraint document_alias_key primary key (owner_id, kind, name),
    constraint document_alias_kind check (kind in ('brief', 'page')),
    constraint document_alias_visibility check (visibility in ('public', 'private', 'internal'))
  ) ${keptWithKey}`,
  sql`create index document_alias_by_document_id on document_alias (document_id)`,
  sql`create table protected_address (
    owner_id ${text} not null references owner (id) on delete cascade,
    kind ${text} not null,
    name ${text} not null,
    document_id ${text} not null,
    two_people integer not null,
    constraint protected_address_key primary key (owner_id, kind, name)
  ) ${keptWithKey}`,
  sql`create table document_block (
    owner_id ${text} not null references owner (id) on delete cascade,
    first_id ${text} not null,
    kind ${text} not null,
    visibility ${text} not null,
    documents integer not null,
    constraint document_block_key primary key (owner_id, first_id, kind, visibility),
    constraint document_block_documents check (documents >= 0)
  )`,
  sql`create table document_label (
    document_id ${text} not null,
    key ${text} not null,
    owner_id ${text} not null,
    label ${text} not null,
    kind ${text},
    visibility ${text},
    updated_at ${text},
    title_key ${text},
    constraint document_label_key primary key (document_id, key)
  ) ${keptWithKey}`,
  sql`create index document_label_by_change on document_label (owner_id, key, kind, visibility, updated_at,
      document_id)`,
  sql`create index document_label_by_creation on document_label (owner_id, key, kind, visibility, document_id)`,
  sql`create index document_label_by_title on document_label (owner_id, key, kind, visibility, title_key, document_id)`,
  sql`create table label_count (
    owner_id ${text} not null references owner (id) on delete cascade,
    key ${text} not null,
    kind ${text} not null,
    visibility ${text} not null,
    documents integer not null,
    constraint label_count_key primary key (owner_id, key, kind, visibility)
  ) ${keptWithKey}`,
  sql`create table pinned_document (
    document_id ${text} primary key,
    owner_id ${text} not null,
    pinned_at ${text} not null
  )`,
  sql`create index pinned_document_by_owner on pinned_document (owner_id, pinned_at)`,
  sql`create table rendition (
    document_id ${text} not null references document (id) on delete cascade,
    revision ${text} not null,
    version integer not null,
    created_at ${text} not null,
    html ${bytes} not null,
    constraint rendition_key primary key (document_id, revision)
  )`,
  sql`create table search_pending (
    document_id ${text} primary key,
    stamp ${text} not null,
    claimed_until ${text} not null
  ) ${keptWithKey}`,
  sql`create table seen (
    document_id ${text} not null references document (id) on delete cascade,
    account_id ${text} not null references account (id) on delete cascade,
    version integer not null,
    constraint seen_key primary key (document_id, account_id)
  ) ${keptWithKey}`,
  sql`create index seen_by_account_id on seen (account_id)`,
  sql`create table editing (
    document_id ${text} not null references document (id) on delete cascade,
    session_id ${text} not null references session (id) on delete cascade,
    at ${text} not null,
    constraint editing_key primary key (document_id, session_id)
  ) ${keptWithKey}`,
  sql`create index editing_by_session_id on editing (session_id)`,

  // Sharing. Links and invitations go with their document, also to the trash.
  sql`create table collaborator (
    id ${text} primary key,
    document_id ${text} not null references document (id) on delete cascade,
    account_id ${text} not null references account (id) on delete cascade,
    permission ${text} not null,
    added_at ${text} not null,
    constraint collaborator_once unique (document_id, account_id),
    constraint collaborator_permission check (permission in ('read', 'write', 'admin'))
  )`,
  sql`create index collaborator_by_document_id_id on collaborator (document_id, id)`,
  sql`create index collaborator_by_account_id_document_id on collaborator (account_id, document_id)`,
  sql`create table document_invitation (
    id ${text} primary key,
    document_id ${text} not null references document (id) on delete cascade,
    target_id ${text} not null references account (id) on delete cascade,
    permission ${text} not null,
    invited_by ${text} references account (id) on delete set null,
    created_at ${text} not null,
    expires_at ${text} not null,
    constraint document_invitation_once unique (document_id, target_id),
    constraint document_invitation_permission check (permission in ('read', 'write', 'admin'))
  )`,
  sql`create index document_invitation_by_document_id_id on document_invitation (document_id, id)`,
  sql`create index document_invitation_by_target_id_id on document_invitation (target_id, id)`,
  sql`create index document_invitation_by_invited_by on document_invitation (invited_by)`,
  sql`create table email_invitation (
    id ${text} primary key,
    token_hash ${text} not null unique,
    email ${text} not null,
    email_key ${text} not null,
    document_id ${text} references document (id) on delete cascade,
    permission ${text},
    organization_id ${text} references organization (id) on delete cascade,
    role ${text},
    invited_by ${text} references account (id) on delete set null,
    created_at ${text} not null,
    expires_at ${text} not null,
    constraint email_invitation_to check ((document_id is null) <> (organization_id is null)
      and (document_id is null) = (permission is null) and (organization_id is null) = (role is null)),
    constraint email_invitation_permission check (permission in ('read', 'write', 'admin')),
    constraint email_invitation_role check (role in ('admin', 'member'))
  )`,
  sql`create unique index email_invitation_by_document_id_email_key on email_invitation (document_id, email_key)`,
  sql`create unique index email_invitation_by_organization_id_email_key on email_invitation (organization_id,
      email_key)`,
  sql`create index email_invitation_by_invited_by on email_invitation (invited_by)`,
  sql`create index email_invitation_by_expires_at on email_invitation (expires_at)`,
  sql`create table document_link (
    id ${text} primary key,
    document_id ${text} not null references document (id) on delete cascade,
    secret_hash ${text} not null unique,
    access ${text} not null,
    note ${text} not null,
    created_by ${text} references account (id) on delete set null,
    created_at ${text} not null,
    expires_at ${text},
    constraint document_link_access check (access in ('read', 'comment'))
  )`,
  sql`create index document_link_by_document_id_id on document_link (document_id, id)`,
  sql`create index document_link_by_created_by on document_link (created_by)`,
  sql`create index document_link_by_expires_at on document_link (expires_at)`,

  // Revisions refer to documents by id alone: a deleted document keeps them until it is permanently deleted.
  sql`create table revision (
    document_id ${text} not null,
    version integer not null,
    account_id ${text} references account (id) on delete set null,
    via ${text},
    via_name ${text},
    changed ${text} not null,
    message ${text},
    base_version integer,
    merged integer default 0 not null,
    restored_from integer,
    pinned integer default 0 not null,
    at ${text} not null,
    request_key ${text},
    request_hash ${text},
    seen_by ${text} references account (id) on delete set null,
    constraint revision_key primary key (document_id, version),
    constraint revision_version check (version >= 1),
    constraint revision_via check (via in ('web', 'token', 'application')),
    constraint revision_flags check (merged in (0, 1) and pinned in (0, 1))
  ) ${keptWithKey}`,
  sql`create index revision_by_account_id on revision (account_id)`,
  sql`create unique index revision_by_account_id_request_key on revision (account_id,
      request_key) where request_key is not null`,
  sql`create index revision_by_seen_by on revision (seen_by) where seen_by is not null`,
  sql`create table revision_text (
    document_id ${text} not null,
    last_version integer not null,
    coding ${text} not null,
    dict_version integer,
    size_bytes integer not null,
    stored_bytes integer not null,
    storage_path ${text},
    body ${bytes},
    constraint revision_text_key primary key (document_id, last_version),
    constraint revision_text_coding check (coding in ('raw', 'zst', 'zst+dict', 'gone')
      and (coding = 'zst+dict') = (dict_version is not null)),
    constraint revision_text_body check (case when coding = 'gone' then body is null and storage_path is null
      else (body is null) <> (storage_path is null) end)
  )`,
  sql`create unique index revision_text_by_storage_path on revision_text (storage_path) where storage_path is not null`,
  sql`create index revision_text_raw on revision_text (document_id, last_version) where coding = 'raw'`,

  // Deleted documents have tables of their own, so that no query of documents can find one. A name is not unique here.
  sql`create table trashed_document (
    id ${text} primary key,
    kind ${text} not null,
    owner_id ${text} not null,
    owner_type ${text} not null,
    name ${text} not null,
    visibility ${text} not null,
    version integer not null,
    size_bytes integer not null,
    created_by ${text} references account (id) on delete set null,
    updated_by ${text} references account (id) on delete set null,
    created_at ${text} not null,
    updated_at ${text} not null,
    deleted_by ${text} references account (id) on delete set null,
    deleted_at ${text} not null,
    title ${text},
    storage_path ${text},
    content ${text},
    constraint trashed_document_owner foreign key (owner_id, owner_type) references owner (id,
      type) on delete cascade,
    constraint trashed_document_kind check (kind in ('brief', 'page')),
    constraint trashed_document_visibility check (visibility in ('public', 'private') or (visibility = 'internal'
      and owner_type = 'organization')),
    constraint trashed_document_content check ((kind = 'brief' and content is not null and storage_path is null)
      or (kind = 'page' and content is null and storage_path is not null))
  )`,
  sql`create unique index trashed_document_by_storage_path on trashed_document (storage_path) where storage_path is not null`,
  sql`create index trashed_document_by_owner_id_deleted_at_id on trashed_document (owner_id, deleted_at, id)`,
  sql`create index trashed_document_by_deleted_at on trashed_document (deleted_at)`,
  sql`create index trashed_document_by_created_by on trashed_document (created_by)`,
  sql`create index trashed_document_by_updated_by on trashed_document (updated_by)`,
  sql`create index trashed_document_by_deleted_by on trashed_document (deleted_by)`,
  sql`create table trashed_collaborator (
    id ${text} primary key,
    document_id ${text} not null references trashed_document (id) on delete cascade,
    account_id ${text} not null references account (id) on delete cascade,
    permission ${text} not null,
    added_at ${text} not null,
    constraint trashed_collaborator_once unique (document_id, account_id),
    constraint trashed_collaborator_permission check (permission in ('read', 'write', 'admin'))
  )`,
  sql`create index trashed_collaborator_by_account_id_document_id on trashed_collaborator (account_id, document_id)`,

  // Threads, suggestions, proposals and reviews. They refer to documents by id alone, as revisions do.
  sql`create table review_setting (
    document_id ${text} primary key,
    comments ${text} not null,
    protected integer default 0 not null,
    two_people integer default 0 not null,
    threads_since ${text},
    constraint review_setting_comments check (comments in ('insiders', 'readers', 'off')),
    constraint review_setting_protected check (protected in (0, 1))
  )`,
  sql`create table thread (
    id ${text} primary key,
    document_id ${text} not null,
    kind ${text} not null,
    state ${text} not null,
    made_version integer not null,
    made_start integer,
    made_end integer,
    quote ${text},
    prefix ${text},
    suffix ${text},
    at_version integer not null,
    at_start integer,
    at_end integer,
    at_state ${text},
    shown_start integer,
    shown_end integer,
    shown_state ${text},
    replacement ${text},
    account_id ${text} references account (id) on delete set null,
    via ${text},
    via_name ${text},
    assignee_id ${text} references account (id) on delete set null,
    created_at ${text} not null,
    updated_at ${text} not null,
    closed_by ${text} references account (id) on delete set null,
    closed_version integer,
    element ${text},
    seen_by ${text} references account (id) on delete set null,
    constraint thread_kind check (kind in ('comment', 'replacement', 'proposal')),
    constraint thread_state check (state in ('open', 'resolved', 'accepted', 'rejected')),
    constraint thread_via check (via in ('web', 'token', 'application')),
    constraint thread_place check ((quote is null) = (made_start is null) and (quote is null) = (at_start is null)
      and (quote is null) = (shown_start is null))
  )`,
  sql`create index thread_by_document_id_state_id on thread (document_id, state, id)`,
  sql`create index thread_by_account_id on thread (account_id)`,
  sql`create index thread_by_assignee_id on thread (assignee_id)`,
  sql`create index thread_by_closed_by on thread (closed_by)`,
  sql`create index thread_by_seen_by on thread (seen_by) where seen_by is not null`,
  sql`create table comment (
    id ${text} primary key,
    thread_id ${text} not null references thread (id) on delete cascade,
    account_id ${text} references account (id) on delete set null,
    via ${text},
    via_name ${text},
    body ${text} not null,
    created_at ${text} not null,
    edited_at ${text},
    constraint comment_via check (via in ('web', 'token', 'application'))
  )`,
  sql`create index comment_by_thread_id_id on comment (thread_id, id)`,
  sql`create index comment_by_account_id on comment (account_id)`,
  sql`create table proposal (
    thread_id ${text} primary key references thread (id) on delete cascade,
    size_bytes integer not null,
    stored_bytes integer not null,
    storage_path ${text},
    body ${bytes},
    added integer not null,
    removed integer not null,
    constraint proposal_body check ((body is null) <> (storage_path is null))
  )`,
  sql`create unique index proposal_by_storage_path on proposal (storage_path) where storage_path is not null`,
  sql`create table review_request (
    document_id ${text} not null,
    account_id ${text} not null references account (id) on delete cascade,
    requested_by ${text} references account (id) on delete set null,
    version integer not null,
    note ${text},
    created_at ${text} not null,
    constraint review_request_key primary key (document_id, account_id)
  ) ${keptWithKey}`,
  sql`create index review_request_by_account_id on review_request (account_id)`,
  sql`create index review_request_by_requested_by on review_request (requested_by)`,
  sql`create table review (
    id ${text} primary key,
    document_id ${text} not null,
    account_id ${text} references account (id) on delete set null,
    version integer not null,
    verdict ${text} not null,
    body ${text},
    via ${text},
    via_name ${text},
    created_at ${text} not null,
    constraint review_verdict check (verdict in ('approved', 'changes_requested')),
    constraint review_via check (via in ('web', 'token', 'application'))
  )`,
  sql`create index review_by_document_id_id on review (document_id, id)`,
  sql`create index review_by_account_id on review (account_id)`,

  // What happened to documents, whom it concerns, and who watches what. By id alone, as revisions do.
  sql`create table event (
    id ${text} primary key,
    document_id ${text} not null,
    owner_id ${text} not null,
    type ${text} not null,
    account_id ${text} references account (id) on delete set null,
    via ${text},
    via_name ${text},
    version integer,
    thread_id ${text},
    target_id ${text} references account (id) on delete set null,
    mentions ${text},
    at ${text} not null,
    position integer,
    constraint event_via check (via in ('web', 'token', 'application')),
    constraint event_position check (position >= 1)
  )`,
  sql`create unique index event_by_position on event (position) where position is not null`,
  sql`create index event_without_position on event (id) where position is null`,
  sql`create index event_by_document_id_position on event (document_id, position)`,
  sql`create index event_by_account_id on event (account_id)`,
  sql`create index event_by_target_id on event (target_id) where target_id is not null`,
  sql`create table feed (
    id integer primary key,
    position integer not null,
    removed_until integer not null,
    constraint feed_one_row check (id = 1)
  )`,
  sql`create table inbox (
    account_id ${text} not null references account (id) on delete cascade,
    position integer not null,
    reason ${text} not null,
    read_at ${text},
    constraint inbox_key primary key (account_id, position),
    constraint inbox_reason check (reason in ('mention', 'review', 'watching', 'own'))
  ) ${keptWithKey}`,
  sql`create index inbox_by_position on inbox (position)`,
  sql`create index inbox_unread on inbox (account_id, position) where read_at is null`,
  sql`create table watch (
    document_id ${text} not null,
    account_id ${text} not null references account (id) on delete cascade,
    level ${text} not null,
    constraint watch_key primary key (document_id, account_id),
    constraint watch_level check (level in ('all', 'mentions', 'none'))
  ) ${keptWithKey}`,
  sql`create index watch_by_account_id on watch (account_id)`,

  // Mails to send. They refer to documents, invitations and events by id alone: what is gone when a mail is due
  // isn’t mailed. Mails about security have no account, so that they survive its deletion.
  sql`create table mail (
    id ${text} primary key,
    account_id ${text} references account (id) on delete cascade,
    kind ${text} not null,
    document_id ${text},
    position integer,
    invitation_id ${text},
    sealed_token ${text},
    notice ${text},
    created_at ${text} not null,
    due_at ${text} not null,
    claimed_until ${text},
    attempts integer not null,
    constraint mail_kind check (kind in ('document_invitation', 'organization_invitation', 'email_invitation',
      'mention', 'review', 'answer', 'digest', 'verification', 'security')),
    constraint mail_subject check ((kind in ('document_invitation', 'organization_invitation',
      'email_invitation')) = (invitation_id is not null) and (kind in ('mention', 'review',
      'answer')) = (document_id is not null) and (kind in ('mention', 'review', 'answer',
      'digest')) = (position is not null) and (kind in ('email_invitation', 'security')) = (account_id is null)
      and (kind = 'email_invitation') = (sealed_token is not null) and (kind = 'security') = (notice is not null))
  )`,
  sql`create index mail_by_due_at on mail (due_at, id)`,
  sql`create index mail_by_account_id on mail (account_id, document_id)`,
  sql`create unique index mail_one_digest on mail (account_id) where kind = 'digest'`,
  sql`create unique index mail_one_verification on mail (account_id) where kind = 'verification'`,
  sql`create table mail_preference (
    account_id ${text} not null references account (id) on delete cascade,
    topic ${text} not null,
    is_on integer not null,
    constraint mail_preference_key primary key (account_id, topic),
    constraint mail_preference_topic check (topic in ('invitation', 'mention', 'review', 'answer', 'digest')),
    constraint mail_preference_is_on check (is_on in (0, 1))
  ) ${keptWithKey}`,
  sql`create table unsubscribed_address (
    address_hash ${text} primary key,
    created_at ${text} not null
  )`,

  // Webhooks. A delivery goes with its event; one without an event is a test.
  sql`create table webhook (
    id ${text} primary key,
    owner_id ${text} not null references owner (id) on delete cascade,
    account_id ${text} references account (id) on delete set null,
    url ${text} not null,
    types ${text} not null,
    secret ${text} not null,
    previous_secret ${text},
    previous_until ${text},
    failing_since ${text},
    disabled_at ${text},
    disabled_because ${text},
    created_at ${text} not null,
    constraint webhook_disabled check (disabled_because in ('request', 'gone', 'failing')),
    constraint webhook_state check ((disabled_at is null) = (disabled_because is null)
      and (previous_secret is null) = (previous_until is null))
  )`,
  sql`create index webhook_by_owner_id on webhook (owner_id)`,
  sql`create index webhook_by_account_id on webhook (account_id)`,
  sql`create table webhook_delivery (
    id ${text} primary key,
    webhook_id ${text} not null references webhook (id) on delete cascade,
    event_id ${text} references event (id) on delete cascade,
    status ${text} not null,
    attempt integer not null,
    next_at ${text},
    code integer,
    fault ${text},
    created_at ${text} not null,
    attempted_at ${text},
    constraint webhook_delivery_status check (status in ('pending', 'delivered', 'failed')),
    constraint webhook_delivery_pending check ((status = 'pending') = (next_at is not null)),
    constraint webhook_delivery_fault check (fault in ('address', 'connection', 'timeout', 'status', 'disabled'))
  )`,
  sql`create index webhook_delivery_by_webhook_id_id on webhook_delivery (webhook_id, id)`,
  sql`create index webhook_delivery_by_event_id on webhook_delivery (event_id)`,
  sql`create index webhook_delivery_by_created_at on webhook_delivery (created_at)`,
  sql`create index webhook_delivery_pending on webhook_delivery (next_at, webhook_id) where status = 'pending'`,

  // Files.
  sql`create table file (
    id ${text} primary key,
    account_id ${text} not null references account (id) on delete cascade,
    address ${text} not null unique,
    name ${text} not null,
    content_type ${text} not null,
    size_bytes integer not null,
    storage_path ${text} not null unique,
    created_at ${text} not null,
    constraint file_size check (size_bytes >= 0)
  )`,
  sql`create index file_by_account_id_id on file (account_id, id)`,
  sql`create table signing_key (
    id ${text} primary key,
    secret ${text} not null,
    created_at ${text} not null
  )`,

  // What the authorization server keeps. Secrets are stored as their SHA-256. A client may describe itself at an
  // address of its own, so grants need not refer to oauth_client. A ticket goes with what it was given to.
  sql`create table oauth_client (
    id ${text} primary key,
    secret_hash ${text},
    metadata ${text} not null,
    created_at ${text} not null,
    last_authorized_at ${text}
  )`,
  sql`create table oauth_grant (
    id ${text} primary key,
    account_id ${text} not null references account (id) on delete cascade,
    client_id ${text} not null,
    client_name ${text} not null,
    client_host ${text} not null,
    resources ${text} not null,
    scopes ${text} not null,
    refused_scopes ${text} not null,
    created_at ${text} not null,
    expires_at ${text} not null,
    last_used_at ${text}
  )`,
  sql`create index oauth_grant_by_account_id_client_id on oauth_grant (account_id, client_id)`,
  sql`create index oauth_grant_by_client_id on oauth_grant (client_id)`,
  sql`create index oauth_grant_by_expires_at on oauth_grant (expires_at)`,
  sql`create table oauth_token (
    token_hash ${text} primary key,
    kind ${text} not null,
    grant_id ${text} not null references oauth_grant (id) on delete cascade,
    scopes ${text} not null,
    audience ${text},
    payload ${text} not null,
    created_at ${text} not null,
    expires_at ${text} not null,
    consumed_at ${text},
    constraint oauth_token_hash check (length(token_hash) = 64),
    constraint oauth_token_kind check (kind in ('code', 'access', 'refresh'))
  )`,
  sql`create index oauth_token_by_grant_id on oauth_token (grant_id)`,
  sql`create index oauth_token_by_expires_at on oauth_token (expires_at)`,
  sql`create table oauth_flow (
    id_hash ${text} primary key,
    kind ${text} not null,
    account_id ${text} references account (id) on delete cascade,
    payload ${text} not null,
    expires_at ${text} not null,
    constraint oauth_flow_hash check (length(id_hash) = 64),
    constraint oauth_flow_kind check (kind in ('interaction', 'decision'))
  )`,
  sql`create index oauth_flow_by_account_id on oauth_flow (account_id)`,
  sql`create index oauth_flow_by_expires_at on oauth_flow (expires_at)`,
  sql`create table oauth_key (
    purpose ${text} not null,
    generation integer not null,
    secret ${text} not null,
    created_at ${text} not null,
    constraint oauth_key_key primary key (purpose, generation),
    constraint oauth_key_purpose check (purpose in ('signing', 'cookie'))
  )`,
  sql`create table upload_ticket (
    id ${text} primary key,
    secret_hash ${text} not null unique,
    account_id ${text} not null references account (id) on delete cascade,
    token_id ${text} references access_token (id) on delete cascade,
    grant_id ${text} references oauth_grant (id) on delete cascade,
    document_id ${text} references document (id) on delete cascade,
    task ${text} not null,
    expires_at ${text} not null,
    constraint upload_ticket_credential check ((token_id is null) <> (grant_id is null))
  )`,
  sql`create index upload_ticket_by_account_id on upload_ticket (account_id)`,
  sql`create index upload_ticket_by_token_id on upload_ticket (token_id)`,
  sql`create index upload_ticket_by_grant_id on upload_ticket (grant_id)`,
  sql`create index upload_ticket_by_document_id on upload_ticket (document_id)`,
  sql`create index upload_ticket_by_expires_at on upload_ticket (expires_at)`,
];
