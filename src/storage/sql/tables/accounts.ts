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
  accountId: string;
  /** SHA-256 of the key. */
  requestKey: string;
  /** SHA-256 of the request. */
  requestHash: string;
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

/** The namespace of a deleted user or organization, reserved for 90 days. */
interface ReleasedNamespaceTable {
  namespace: string;
  releasedAt: string;
}

/** The public profile of a user or an organization. */
interface ProfileTable {
  ownerId: string;
  /** Only for users, because organizations have a name. */
  displayName: string | null;
  summary: string | null;
  pictureType: PictureType | null;
  /** SHA-256 in hexadecimal. */
  pictureHash: string | null;
  pictureBytes: Generated<number>;
  picture: Uint8Array | null;
}

/** A user; the username is the owner's namespace. */
interface AccountTable {
  id: string;
  type: 'user';
  email: string;
  /** The email in lowercase, for comparison. */
  emailKey: string;
  /** When someone with access to the mailbox confirmed the address. */
  emailVerifiedAt: string | null;
  disabledAt: string | null;
  /** Since when the user administers the instance. */
  adminSince: string | null;
  /** When the user last signed in to the web app. */
  signedInAt: string | null;
  createdAt: string;
  /** Argon2id in PHC string format; `null` if there is no password. */
  passwordHash: string | null;
  /** Since when the user has a passkey or a code generator; `null` if there is none. */
  secondFactorAt: Generated<string | null>;
  /** Since when the provider no longer lets the user in; `null` once they sign in there again. */
  refusedAt: Generated<string | null>;
  /** In lowercase, what the directory that provisions accounts calls the user (SCIM `userName`). */
  scimUserName: Generated<string | null>;
  /** The directory's id for the user (SCIM `externalId`). */
  externalId: Generated<string | null>;
}

interface AccessTokenTable {
  id: string;
  accountId: string;
  name: string;
  /** SHA-256 of the token in hexadecimal. The token itself is not stored. */
  tokenHash: string;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  revokedAt: string | null;
  /** Separated by spaces; `null` means all. */
  scopes: string | null;
  /** A `Reach` as JSON: what it is limited to; `null` if it isn't. */
  reach: string | null;
}

/** A user's sign-in on the web host, in one browser. */
interface SessionTable {
  id: string;
  accountId: string;
  /** SHA-256 of the cookie's value in hexadecimal. */
  tokenHash: string;
  createdAt: string;
  lastUsedAt: string;
  expiresAt: string;
  /** The User-Agent header, truncated. */
  userAgent: string;
  /** When the user last proved who they are; `null` for at the sign-in. */
  provenAt: Generated<string | null>;
  /**
   * The session at the provider (`sid`); '' for a sign-in there without one, `null` for another.
   */
  upstreamSid: string | null;
}

/** A user's identity at an upstream OpenID provider. */
interface UpstreamIdentityTable {
  id: string;
  accountId: string;
  issuer: string;
  subject: string;
  createdAt: string;
  /** The provider's last ID and refresh token (`UpstreamTokens`), sealed. */
  sealedTokens: Generated<string | null>;
  /** When the provider last let the user in, or was asked whether it does. */
  checkedAt: Generated<string | null>;
}

/** A user's key in an authenticator (WebAuthn), which signs in without a password. */
interface PasskeyTable {
  id: string;
  accountId: string;
  /** The authenticator's id of the key, as base64url. */
  credentialId: string;
  /** COSE, as base64url. */
  publicKey: string;
  /** How often the authenticator has signed; 0 if it doesn't count. */
  counter: number;
  /** How browsers reach the authenticator, separated by spaces. */
  transports: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
}

/** The app in which a user reads one-time codes (RFC 6238). */
interface CodeGeneratorTable {
  id: string;
  accountId: string;
  sealedSecret: string;
  /** The time step of the last code that was accepted, so that none is accepted twice. */
  lastStep: number;
  createdAt: string;
}

/** A code that replaces a lost second factor, once. */
interface RecoveryCodeTable {
  id: string;
  accountId: string;
  /** SHA-256 in hexadecimal. */
  codeHash: string;
  createdAt: string;
  usedAt: string | null;
}

/** The SHA-256 of a passkey's challenge that was answered, until it would have expired. */
interface SpentChallengeTable {
  hash: string;
  expiresAt: string;
}
