import type { Generated } from 'kysely';
import type { PictureType } from '../../../base/schema/profile.ts';

/** Users, their namespaces and how they sign in. */
export interface AccountTables {
  owner: OwnerTable;
  released_namespace: ReleasedNamespaceTable;
  profile: ProfileTable;
  account: AccountTable;
  access_token: AccessTokenTable;
  session: SessionTable;
  upstream_identity: UpstreamIdentityTable;
  answered_request: AnsweredRequestTable;
  passkey: PasskeyTable;
  code_generator: CodeGeneratorTable;
  recovery_code: RecoveryCodeTable;
  spent_challenge: SpentChallengeTable;
}

/** A request with an `Idempotency-Key` that was carried out in the last 24 hours. */
interface AnsweredRequestTable {
  account_id: string;
  /** SHA-256 of the key. */
  request_key: string;
  /** SHA-256 of the request. */
  request_hash: string;
  /** Encrypted with the key, which isn't stored; `null` until it is there. */
  answer: string | null;
  at: string;
}

/** A user or an organization. Both share one set of namespaces. */
interface OwnerTable {
  id: string;
  type: 'user' | 'organization';
  namespace: string;
}

/** The namespace of a deleted user or organization, reserved for NAMESPACE_RESERVATION. */
interface ReleasedNamespaceTable {
  namespace: string;
  released_at: string;
}

/** The public profile of a user or an organization. */
interface ProfileTable {
  owner_id: string;
  /** Only for users, because organizations have a name. */
  display_name: string | null;
  summary: string | null;
  picture_type: PictureType | null;
  /** SHA-256 in hexadecimal. */
  picture_hash: string | null;
  picture_bytes: Generated<number>;
  picture: Uint8Array | null;
}

/** A user; the username is the owner's namespace. */
interface AccountTable {
  id: string;
  type: 'user';
  email: string;
  /** The email in lowercase, for comparison. */
  email_key: string;
  /** When someone with access to the mailbox confirmed the address. */
  email_verified_at: string | null;
  disabled_at: string | null;
  /** Since when the user administers the instance. */
  admin_since: string | null;
  /** When the user last signed in to the web app. */
  signed_in_at: string | null;
  created_at: string;
  /** Argon2id in PHC string format; `null` if there is no password. */
  password_hash: string | null;
  /** Since when the user has a passkey or a code generator; `null` if there is none. */
  second_factor_at: Generated<string | null>;
}

interface AccessTokenTable {
  id: string;
  account_id: string;
  name: string;
  /** SHA-256 of the token in hexadecimal. The token itself is not stored. */
  token_hash: string;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
  /** Separated by spaces; `null` means all. */
  scopes: string | null;
}

/** A user's sign-in on the web host, in one browser. */
interface SessionTable {
  id: string;
  account_id: string;
  /** SHA-256 of the cookie's value in hexadecimal. */
  token_hash: string;
  created_at: string;
  last_used_at: string;
  expires_at: string;
  /** The User-Agent header, truncated. */
  user_agent: string;
  /** When the user last proved who they are; `null` for at the sign-in. */
  proven_at: Generated<string | null>;
}

/** A user's identity at an upstream OpenID provider. */
interface UpstreamIdentityTable {
  id: string;
  account_id: string;
  issuer: string;
  subject: string;
  created_at: string;
}

/** A user's key in an authenticator (WebAuthn), which signs in without a password. */
interface PasskeyTable {
  id: string;
  account_id: string;
  /** The authenticator's id of the key, as base64url. */
  credential_id: string;
  /** COSE, as base64url. */
  public_key: string;
  /** How often the authenticator has signed; 0 if it doesn't count. */
  counter: number;
  /** How browsers reach the authenticator, separated by spaces. */
  transports: string;
  name: string;
  created_at: string;
  last_used_at: string | null;
}

/** The app in which a user reads one-time codes (RFC 6238). */
interface CodeGeneratorTable {
  id: string;
  account_id: string;
  sealed_secret: string;
  /** The time step of the last code that was accepted, so that none is accepted twice. */
  last_step: number;
  created_at: string;
}

/** A code that replaces a lost second factor, once. */
interface RecoveryCodeTable {
  id: string;
  account_id: string;
  /** SHA-256 in hexadecimal. */
  code_hash: string;
  created_at: string;
  used_at: string | null;
}

/** The SHA-256 of a passkey's challenge that was answered, until it would have expired. */
interface SpentChallengeTable {
  hash: string;
  expires_at: string;
}
