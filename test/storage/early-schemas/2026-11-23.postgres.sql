CREATE TABLE access_token (
    id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    token_hash text NOT NULL COLLATE pg_catalog."C",
    created_at text NOT NULL COLLATE pg_catalog."C",
    expires_at text COLLATE pg_catalog."C",
    last_used_at text COLLATE pg_catalog."C",
    revoked_at text COLLATE pg_catalog."C",
    scopes text COLLATE pg_catalog."C",
    CONSTRAINT access_token_hash CHECK ((length(token_hash) = 64))
);
CREATE TABLE account (
    id text NOT NULL COLLATE pg_catalog."C",
    type text DEFAULT 'user'::text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL COLLATE pg_catalog."C",
    email_key text NOT NULL COLLATE pg_catalog."C",
    disabled_at text COLLATE pg_catalog."C",
    created_at text NOT NULL COLLATE pg_catalog."C",
    password_hash text COLLATE pg_catalog."C",
    CONSTRAINT account_type CHECK ((type = 'user'::text))
);
CREATE TABLE collaborator (
    id text NOT NULL COLLATE pg_catalog."C",
    document_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    permission text NOT NULL COLLATE pg_catalog."C",
    added_at text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT collaborator_permission CHECK ((permission = ANY (ARRAY['read'::text, 'write'::text, 'admin'::text])))
);
CREATE TABLE document (
    id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    owner_id text NOT NULL COLLATE pg_catalog."C",
    owner_type text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    visibility text NOT NULL COLLATE pg_catalog."C",
    version integer NOT NULL,
    size_bytes integer NOT NULL,
    created_by text COLLATE pg_catalog."C",
    updated_by text COLLATE pg_catalog."C",
    created_at text NOT NULL COLLATE pg_catalog."C",
    updated_at text NOT NULL COLLATE pg_catalog."C",
    title text COLLATE pg_catalog."C",
    storage_path text COLLATE pg_catalog."C",
    content text COLLATE pg_catalog."C",
    CONSTRAINT document_content CHECK ((((kind = 'brief'::text) AND (content IS NOT NULL) AND (storage_path IS NULL)) OR ((kind = 'page'::text) AND (content IS NULL) AND (storage_path IS NOT NULL)))),
    CONSTRAINT document_kind CHECK ((kind = ANY (ARRAY['brief'::text, 'page'::text]))),
    CONSTRAINT document_name_length CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT document_size CHECK ((size_bytes >= 0)),
    CONSTRAINT document_version CHECK ((version >= 1)),
    CONSTRAINT document_visibility CHECK (((visibility = ANY (ARRAY['public'::text, 'private'::text])) OR ((visibility = 'internal'::text) AND (owner_type = 'organization'::text))))
);
CREATE TABLE document_block (
    owner_id text NOT NULL COLLATE pg_catalog."C",
    first_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    visibility text NOT NULL COLLATE pg_catalog."C",
    documents integer NOT NULL,
    CONSTRAINT document_block_documents CHECK ((documents >= 0))
);
CREATE TABLE document_change (
    document_id text NOT NULL COLLATE pg_catalog."C",
    version integer NOT NULL,
    account_id text COLLATE pg_catalog."C",
    changed text NOT NULL COLLATE pg_catalog."C",
    at text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT document_change_version CHECK ((version >= 2))
);
CREATE TABLE document_invitation (
    id text NOT NULL COLLATE pg_catalog."C",
    document_id text NOT NULL COLLATE pg_catalog."C",
    target_id text NOT NULL COLLATE pg_catalog."C",
    permission text NOT NULL COLLATE pg_catalog."C",
    invited_by text COLLATE pg_catalog."C",
    created_at text NOT NULL COLLATE pg_catalog."C",
    expires_at text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT document_invitation_permission CHECK ((permission = ANY (ARRAY['read'::text, 'write'::text, 'admin'::text])))
);
CREATE TABLE document_text (
    document_id text NOT NULL COLLATE pg_catalog."C",
    recency bigint NOT NULL,
    words tsvector DEFAULT ''::tsvector NOT NULL
);
CREATE TABLE file (
    id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    address text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    content_type text NOT NULL COLLATE pg_catalog."C",
    size_bytes integer NOT NULL,
    storage_path text NOT NULL COLLATE pg_catalog."C",
    created_at text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT file_size CHECK ((size_bytes >= 0))
);
CREATE TABLE kysely_migration (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);
CREATE TABLE kysely_migration_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);
CREATE TABLE membership (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL COLLATE pg_catalog."C",
    joined_at text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT membership_role CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text])))
);
CREATE TABLE oauth_client (
    id text NOT NULL COLLATE pg_catalog."C",
    secret_hash text COLLATE pg_catalog."C",
    metadata text NOT NULL COLLATE pg_catalog."C",
    created_at text NOT NULL COLLATE pg_catalog."C",
    last_authorized_at text COLLATE pg_catalog."C"
);
CREATE TABLE oauth_flow (
    id_hash text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    account_id text COLLATE pg_catalog."C",
    payload text NOT NULL COLLATE pg_catalog."C",
    expires_at text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT oauth_flow_hash CHECK ((length(id_hash) = 64)),
    CONSTRAINT oauth_flow_kind CHECK ((kind = ANY (ARRAY['interaction'::text, 'decision'::text])))
);
CREATE TABLE oauth_grant (
    id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    client_id text NOT NULL COLLATE pg_catalog."C",
    client_name text NOT NULL COLLATE pg_catalog."C",
    client_host text NOT NULL COLLATE pg_catalog."C",
    resources text NOT NULL COLLATE pg_catalog."C",
    scopes text NOT NULL COLLATE pg_catalog."C",
    refused_scopes text NOT NULL COLLATE pg_catalog."C",
    created_at text NOT NULL COLLATE pg_catalog."C",
    expires_at text NOT NULL COLLATE pg_catalog."C",
    last_used_at text COLLATE pg_catalog."C"
);
CREATE TABLE oauth_key (
    purpose text NOT NULL COLLATE pg_catalog."C",
    generation integer NOT NULL,
    secret text NOT NULL COLLATE pg_catalog."C",
    created_at text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT oauth_key_purpose CHECK ((purpose = ANY (ARRAY['signing'::text, 'cookie'::text])))
);
CREATE TABLE oauth_token (
    token_hash text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    grant_id text NOT NULL COLLATE pg_catalog."C",
    scopes text NOT NULL COLLATE pg_catalog."C",
    audience text COLLATE pg_catalog."C",
    payload text NOT NULL COLLATE pg_catalog."C",
    created_at text NOT NULL COLLATE pg_catalog."C",
    expires_at text NOT NULL COLLATE pg_catalog."C",
    consumed_at text COLLATE pg_catalog."C",
    CONSTRAINT oauth_token_hash CHECK ((length(token_hash) = 64)),
    CONSTRAINT oauth_token_kind CHECK ((kind = ANY (ARRAY['code'::text, 'access'::text, 'refresh'::text])))
);
CREATE TABLE organization (
    id text NOT NULL COLLATE pg_catalog."C",
    type text DEFAULT 'organization'::text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    members_can_create integer DEFAULT 1 NOT NULL,
    default_brief_permission text DEFAULT 'read'::text NOT NULL COLLATE pg_catalog."C",
    created_by text COLLATE pg_catalog."C",
    created_at text NOT NULL COLLATE pg_catalog."C",
    updated_at text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT organization_default_brief_permission CHECK ((default_brief_permission = ANY (ARRAY['none'::text, 'read'::text, 'write'::text]))),
    CONSTRAINT organization_members_can_create CHECK ((members_can_create = ANY (ARRAY[0, 1]))),
    CONSTRAINT organization_type CHECK ((type = 'organization'::text))
);
CREATE TABLE organization_invitation (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    target_id text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL COLLATE pg_catalog."C",
    invited_by text COLLATE pg_catalog."C",
    created_at text NOT NULL COLLATE pg_catalog."C",
    expires_at text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT organization_invitation_role CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text])))
);
CREATE TABLE owner (
    id text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    namespace text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT owner_namespace CHECK ((((length(namespace) >= 1) AND (length(namespace) <= 39)) AND (namespace = lower(namespace)) AND (namespace !~~ '-%'::text) AND (namespace !~~ '%-'::text) AND (namespace !~~ '%--%'::text))),
    CONSTRAINT owner_type CHECK ((type = ANY (ARRAY['user'::text, 'organization'::text])))
);
CREATE TABLE rendition (
    document_id text NOT NULL COLLATE pg_catalog."C",
    version integer NOT NULL,
    revision text NOT NULL COLLATE pg_catalog."C",
    html bytea NOT NULL
);
CREATE TABLE search_pending (
    document_id text NOT NULL COLLATE pg_catalog."C",
    stamp text NOT NULL COLLATE pg_catalog."C",
    claimed_until text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE session (
    id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    token_hash text NOT NULL COLLATE pg_catalog."C",
    created_at text NOT NULL COLLATE pg_catalog."C",
    last_used_at text NOT NULL COLLATE pg_catalog."C",
    expires_at text NOT NULL COLLATE pg_catalog."C",
    user_agent text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT session_token_hash CHECK ((length(token_hash) = 64))
);
CREATE TABLE signing_key (
    id text NOT NULL COLLATE pg_catalog."C",
    secret text NOT NULL COLLATE pg_catalog."C",
    created_at text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE upstream_identity (
    id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    issuer text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    created_at text NOT NULL COLLATE pg_catalog."C"
);
INSERT INTO kysely_migration VALUES ('001-initial', '2026-11-24T03:45:28.224Z');
INSERT INTO kysely_migration VALUES ('002-document-blocks', '2026-11-24T03:45:28.240Z');
INSERT INTO kysely_migration VALUES ('003-token-scopes', '2026-11-24T03:45:28.241Z');
INSERT INTO kysely_migration VALUES ('004-sign-in', '2026-11-24T03:45:28.273Z');
INSERT INTO kysely_migration VALUES ('005-authorization', '2026-11-24T03:45:28.317Z');
INSERT INTO kysely_migration VALUES ('006-search', '2026-11-24T03:45:28.354Z');
INSERT INTO kysely_migration_lock VALUES ('migration_lock', 0);
ALTER TABLE ONLY access_token
    ADD CONSTRAINT access_token_pkey PRIMARY KEY (id);
ALTER TABLE ONLY access_token
    ADD CONSTRAINT access_token_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY account
    ADD CONSTRAINT account_email_key_key UNIQUE (email_key);
ALTER TABLE ONLY account
    ADD CONSTRAINT account_pkey PRIMARY KEY (id);
ALTER TABLE ONLY collaborator
    ADD CONSTRAINT collaborator_once UNIQUE (document_id, account_id);
ALTER TABLE ONLY collaborator
    ADD CONSTRAINT collaborator_pkey PRIMARY KEY (id);
ALTER TABLE ONLY document_block
    ADD CONSTRAINT document_block_key PRIMARY KEY (owner_id, first_id, kind, visibility);
ALTER TABLE ONLY document_change
    ADD CONSTRAINT document_change_key PRIMARY KEY (document_id, version);
ALTER TABLE ONLY document_invitation
    ADD CONSTRAINT document_invitation_once UNIQUE (document_id, target_id);
ALTER TABLE ONLY document_invitation
    ADD CONSTRAINT document_invitation_pkey PRIMARY KEY (id);
ALTER TABLE ONLY document
    ADD CONSTRAINT document_name UNIQUE (owner_id, kind, name);
ALTER TABLE ONLY document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);
ALTER TABLE ONLY document_text
    ADD CONSTRAINT document_text_pkey PRIMARY KEY (document_id);
ALTER TABLE ONLY file
    ADD CONSTRAINT file_address_key UNIQUE (address);
ALTER TABLE ONLY file
    ADD CONSTRAINT file_pkey PRIMARY KEY (id);
ALTER TABLE ONLY file
    ADD CONSTRAINT file_storage_path_key UNIQUE (storage_path);
ALTER TABLE ONLY kysely_migration_lock
    ADD CONSTRAINT kysely_migration_lock_pkey PRIMARY KEY (id);
ALTER TABLE ONLY kysely_migration
    ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);
ALTER TABLE ONLY membership
    ADD CONSTRAINT membership_once UNIQUE (organization_id, account_id);
ALTER TABLE ONLY membership
    ADD CONSTRAINT membership_pkey PRIMARY KEY (id);
ALTER TABLE ONLY oauth_client
    ADD CONSTRAINT oauth_client_pkey PRIMARY KEY (id);
ALTER TABLE ONLY oauth_flow
    ADD CONSTRAINT oauth_flow_pkey PRIMARY KEY (id_hash);
ALTER TABLE ONLY oauth_grant
    ADD CONSTRAINT oauth_grant_pkey PRIMARY KEY (id);
ALTER TABLE ONLY oauth_key
    ADD CONSTRAINT oauth_key_key PRIMARY KEY (purpose, generation);
ALTER TABLE ONLY oauth_token
    ADD CONSTRAINT oauth_token_pkey PRIMARY KEY (token_hash);
ALTER TABLE ONLY organization_invitation
    ADD CONSTRAINT organization_invitation_once UNIQUE (organization_id, target_id);
ALTER TABLE ONLY organization_invitation
    ADD CONSTRAINT organization_invitation_pkey PRIMARY KEY (id);
ALTER TABLE ONLY organization
    ADD CONSTRAINT organization_pkey PRIMARY KEY (id);
ALTER TABLE ONLY owner
    ADD CONSTRAINT owner_id_type UNIQUE (id, type);
ALTER TABLE ONLY owner
    ADD CONSTRAINT owner_namespace_key UNIQUE (namespace);
ALTER TABLE ONLY owner
    ADD CONSTRAINT owner_pkey PRIMARY KEY (id);
ALTER TABLE ONLY rendition
    ADD CONSTRAINT rendition_pkey PRIMARY KEY (document_id);
ALTER TABLE ONLY search_pending
    ADD CONSTRAINT search_pending_pkey PRIMARY KEY (document_id);
ALTER TABLE ONLY session
    ADD CONSTRAINT session_pkey PRIMARY KEY (id);
ALTER TABLE ONLY session
    ADD CONSTRAINT session_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY signing_key
    ADD CONSTRAINT signing_key_pkey PRIMARY KEY (id);
ALTER TABLE ONLY upstream_identity
    ADD CONSTRAINT upstream_identity_once UNIQUE (issuer, subject);
ALTER TABLE ONLY upstream_identity
    ADD CONSTRAINT upstream_identity_pkey PRIMARY KEY (id);
CREATE INDEX access_token_by_account_id_id ON access_token USING btree (account_id, id);
CREATE INDEX collaborator_by_account_id_document_id ON collaborator USING btree (account_id, document_id);
CREATE INDEX collaborator_by_document_id_id ON collaborator USING btree (document_id, id);
CREATE INDEX document_by_created_by ON document USING btree (created_by);
CREATE INDEX document_by_owner_id_kind_visibility_id ON document USING btree (owner_id, kind, visibility, id);
CREATE INDEX document_by_owner_id_kind_visibility_updated_at_id ON document USING btree (owner_id, kind, visibility, updated_at, id);
CREATE UNIQUE INDEX document_by_storage_path ON document USING btree (storage_path) WHERE (storage_path IS NOT NULL);
CREATE INDEX document_by_updated_by ON document USING btree (updated_by);
CREATE INDEX document_change_by_account_id ON document_change USING btree (account_id);
CREATE INDEX document_invitation_by_document_id_id ON document_invitation USING btree (document_id, id);
CREATE INDEX document_invitation_by_invited_by ON document_invitation USING btree (invited_by);
CREATE INDEX document_invitation_by_target_id_id ON document_invitation USING btree (target_id, id);
CREATE INDEX document_text_by_recency ON document_text USING btree (recency);
CREATE INDEX document_text_by_words ON document_text USING gin (words);
CREATE INDEX file_by_account_id_id ON file USING btree (account_id, id);
CREATE INDEX membership_by_account_id_id ON membership USING btree (account_id, id);
CREATE INDEX membership_by_organization_id_id ON membership USING btree (organization_id, id);
CREATE INDEX oauth_flow_by_account_id ON oauth_flow USING btree (account_id);
CREATE INDEX oauth_flow_by_expires_at ON oauth_flow USING btree (expires_at);
CREATE INDEX oauth_grant_by_account_id_client_id ON oauth_grant USING btree (account_id, client_id);
CREATE INDEX oauth_grant_by_client_id ON oauth_grant USING btree (client_id);
CREATE INDEX oauth_grant_by_expires_at ON oauth_grant USING btree (expires_at);
CREATE INDEX oauth_token_by_expires_at ON oauth_token USING btree (expires_at);
CREATE INDEX oauth_token_by_grant_id ON oauth_token USING btree (grant_id);
CREATE INDEX organization_by_created_by ON organization USING btree (created_by);
CREATE INDEX organization_invitation_by_invited_by ON organization_invitation USING btree (invited_by);
CREATE INDEX organization_invitation_by_organization_id_id ON organization_invitation USING btree (organization_id, id);
CREATE INDEX organization_invitation_by_target_id_id ON organization_invitation USING btree (target_id, id);
CREATE INDEX session_by_account_id_id ON session USING btree (account_id, id);
CREATE INDEX session_by_expires_at ON session USING btree (expires_at);
CREATE INDEX upstream_identity_by_account_id ON upstream_identity USING btree (account_id);
ALTER TABLE ONLY access_token
    ADD CONSTRAINT access_token_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE;
ALTER TABLE ONLY account
    ADD CONSTRAINT account_owner FOREIGN KEY (id, type) REFERENCES owner(id, type) ON DELETE CASCADE;
ALTER TABLE ONLY collaborator
    ADD CONSTRAINT collaborator_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE;
ALTER TABLE ONLY collaborator
    ADD CONSTRAINT collaborator_document_id_fkey FOREIGN KEY (document_id) REFERENCES document(id) ON DELETE CASCADE;
ALTER TABLE ONLY document_block
    ADD CONSTRAINT document_block_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES owner(id) ON DELETE CASCADE;
ALTER TABLE ONLY document_change
    ADD CONSTRAINT document_change_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE SET NULL;
ALTER TABLE ONLY document_change
    ADD CONSTRAINT document_change_document_id_fkey FOREIGN KEY (document_id) REFERENCES document(id) ON DELETE CASCADE;
ALTER TABLE ONLY document
    ADD CONSTRAINT document_created_by_fkey FOREIGN KEY (created_by) REFERENCES account(id) ON DELETE SET NULL;
ALTER TABLE ONLY document_invitation
    ADD CONSTRAINT document_invitation_document_id_fkey FOREIGN KEY (document_id) REFERENCES document(id) ON DELETE CASCADE;
ALTER TABLE ONLY document_invitation
    ADD CONSTRAINT document_invitation_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES account(id) ON DELETE SET NULL;
ALTER TABLE ONLY document_invitation
    ADD CONSTRAINT document_invitation_target_id_fkey FOREIGN KEY (target_id) REFERENCES account(id) ON DELETE CASCADE;
ALTER TABLE ONLY document
    ADD CONSTRAINT document_owner FOREIGN KEY (owner_id, owner_type) REFERENCES owner(id, type) ON DELETE CASCADE;
ALTER TABLE ONLY document_text
    ADD CONSTRAINT document_text_document_id_fkey FOREIGN KEY (document_id) REFERENCES document(id) ON DELETE CASCADE;
ALTER TABLE ONLY document
    ADD CONSTRAINT document_updated_by_fkey FOREIGN KEY (updated_by) REFERENCES account(id) ON DELETE SET NULL;
ALTER TABLE ONLY file
    ADD CONSTRAINT file_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE;
ALTER TABLE ONLY membership
    ADD CONSTRAINT membership_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE;
ALTER TABLE ONLY membership
    ADD CONSTRAINT membership_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id) ON DELETE CASCADE;
ALTER TABLE ONLY oauth_flow
    ADD CONSTRAINT oauth_flow_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE;
ALTER TABLE ONLY oauth_grant
    ADD CONSTRAINT oauth_grant_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE;
ALTER TABLE ONLY oauth_token
    ADD CONSTRAINT oauth_token_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES oauth_grant(id) ON DELETE CASCADE;
ALTER TABLE ONLY organization
    ADD CONSTRAINT organization_created_by_fkey FOREIGN KEY (created_by) REFERENCES account(id) ON DELETE SET NULL;
ALTER TABLE ONLY organization_invitation
    ADD CONSTRAINT organization_invitation_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES account(id) ON DELETE SET NULL;
ALTER TABLE ONLY organization_invitation
    ADD CONSTRAINT organization_invitation_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id) ON DELETE CASCADE;
ALTER TABLE ONLY organization_invitation
    ADD CONSTRAINT organization_invitation_target_id_fkey FOREIGN KEY (target_id) REFERENCES account(id) ON DELETE CASCADE;
ALTER TABLE ONLY organization
    ADD CONSTRAINT organization_owner FOREIGN KEY (id, type) REFERENCES owner(id, type) ON DELETE CASCADE;
ALTER TABLE ONLY rendition
    ADD CONSTRAINT rendition_document_id_fkey FOREIGN KEY (document_id) REFERENCES document(id) ON DELETE CASCADE;
ALTER TABLE ONLY search_pending
    ADD CONSTRAINT search_pending_document_id_fkey FOREIGN KEY (document_id) REFERENCES document(id) ON DELETE CASCADE;
ALTER TABLE ONLY session
    ADD CONSTRAINT session_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE;
ALTER TABLE ONLY upstream_identity
    ADD CONSTRAINT upstream_identity_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE;
