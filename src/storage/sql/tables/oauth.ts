/** The authorization server’s applications, grants, tokens and keys. */
export interface OAuthTables {
  oauth_client: OAuthClientTable;
  oauth_grant: OAuthGrantTable;
  oauth_token: OAuthTokenTable;
  oauth_flow: OAuthFlowTable;
  oauth_device: OAuthDeviceTable;
  oauth_key: OAuthKeyTable;
}

/** An application that registered itself. Those with a metadata document have no row. */
interface OAuthClientTable {
  id: string;
  /** SHA-256 in hexadecimal; `null` for a client without a secret. */
  secretHash: string | null;
  /** JSON, as registered (RFC 7591, section 2), without the secret. */
  metadata: string;
  createdAt: string;
  /** When a user last granted it access. */
  lastAuthorizedAt: string | null;
}

/** A user's consent to an application. Its tokens refer here and are deleted with the row. */
interface OAuthGrantTable {
  id: string;
  accountId: string;
  clientId: string;
  /** The application's name and redirect host at the time of consent. */
  clientName: string;
  clientHost: string;
  /** Our resource addresses as the application requested them, separated by spaces. */
  resources: string;
  /** Separated by spaces. */
  scopes: string;
  /** Requested but not granted. Separated by spaces. */
  refusedScopes: string;
  /** A `Reach` as JSON: what it is limited to; `null` if it isn't. */
  reach: string | null;
  createdAt: string;
  expiresAt: string;
  lastUsedAt: string | null;
}

interface OAuthTokenTable {
  /** SHA-256 in hexadecimal. The code or token itself is not stored. */
  tokenHash: string;
  kind: 'code' | 'access' | 'refresh';
  grantId: string;
  /** Separated by spaces. */
  scopes: string;
  /** The resource addresses that an access token is for, separated by spaces. */
  audience: string | null;
  /** The authorization server's other fields, as JSON. */
  payload: string;
  createdAt: string;
  expiresAt: string;
  consumedAt: string | null;
}

/** A step towards a grant: a request that waits for the user, or the user's decision. */
interface OAuthFlowTable {
  /** SHA-256 in hexadecimal. */
  idHash: string;
  kind: 'interaction' | 'decision';
  accountId: string | null;
  /** JSON. */
  payload: string;
  expiresAt: string;
}

/** A device without a browser that waits for a person's answer (RFC 8628). */
interface OAuthDeviceTable {
  /** SHA-256 in hexadecimal of the device's code, and of the one that the person enters. */
  deviceHash: string;
  userHash: string;
  /** The authorization server's fields, as JSON. */
  payload: string;
  /** The fields that the person's decision adds, as JSON; `null` before. */
  answer: string | null;
  grantId: string | null;
  expiresAt: string;
  consumedAt: string | null;
}

/** Keys of the authorization server. The newest generation of each purpose is used first. */
interface OAuthKeyTable {
  purpose: 'signing' | 'cookie';
  generation: number;
  /** A private JWK (RFC 7517) as JSON, or 32 random bytes in base64. */
  secret: string;
  createdAt: string;
}
