/** The authorization server’s applications, grants, tokens and keys. */
export interface OAuthTables {
  oauth_client: OAuthClientTable;
  oauth_grant: OAuthGrantTable;
  oauth_token: OAuthTokenTable;
  oauth_flow: OAuthFlowTable;
  oauth_key: OAuthKeyTable;
}

/** An application that registered itself. Those with a metadata document have no row. */
interface OAuthClientTable {
  id: string;
  /** SHA-256 in hexadecimal; `null` for a client without a secret. */
  secret_hash: string | null;
  /** JSON, as registered (RFC 7591, section 2), without the secret. */
  metadata: string;
  created_at: string;
  /** When a user last granted it access. */
  last_authorized_at: string | null;
}

/** A user's consent to an application. Its tokens refer here and are deleted with the row. */
interface OAuthGrantTable {
  id: string;
  account_id: string;
  client_id: string;
  /** The application's name and redirect host at the time of consent. */
  client_name: string;
  client_host: string;
  /** Our resource addresses as the application requested them, separated by spaces. */
  resources: string;
  /** Separated by spaces. */
  scopes: string;
  /** Requested but not granted. Separated by spaces. */
  refused_scopes: string;
  created_at: string;
  expires_at: string;
  last_used_at: string | null;
}

interface OAuthTokenTable {
  /** SHA-256 in hexadecimal. The code or token itself is not stored. */
  token_hash: string;
  kind: 'code' | 'access' | 'refresh';
  grant_id: string;
  /** Separated by spaces. */
  scopes: string;
  /** The resource addresses that an access token is for, separated by spaces. */
  audience: string | null;
  /** The authorization server's other fields, as JSON. */
  payload: string;
  created_at: string;
  expires_at: string;
  consumed_at: string | null;
}

/** A step towards a grant: a request that waits for the user, or the user's decision. */
interface OAuthFlowTable {
  /** SHA-256 in hexadecimal. */
  id_hash: string;
  kind: 'interaction' | 'decision';
  account_id: string | null;
  /** JSON. */
  payload: string;
  expires_at: string;
}

/** Keys of the authorization server. The newest generation of each purpose is used first. */
interface OAuthKeyTable {
  purpose: 'signing' | 'cookie';
  generation: number;
  /** A private JWK (RFC 7517) as JSON, or 32 random bytes in base64. */
  secret: string;
  created_at: string;
}
