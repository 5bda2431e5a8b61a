import { ownResources } from '../../core/identity/resources.ts';
import { type Scope, USUAL_SCOPES } from '../../core/identity/scope.ts';
import { DEVICE_GRANT, GRANT_TYPES, RESPONSE_TYPES } from './client-metadata.ts';

/** Client authentication methods of the token endpoint (RFC 7591, section 2). */
export const CLIENT_AUTHENTICATION = ['none', 'client_secret_basic', 'client_secret_post'] as const;

/** The authorization server's paths below `{base_url}`. */
export const PATHS = {
  authorize: '/sso/authorize',
  token: '/oauth/token',
  device: '/oauth/device',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
  introspect: '/oauth/introspect',
  keys: '/oauth/jwks',
} as const;

/** Returns the authorization server's metadata (RFC 8414, section 2). */
export function authorizationServerMetadata(baseUrl: string): Record<string, unknown> {
  return {
    issuer: baseUrl,
    authorization_endpoint: baseUrl + PATHS.authorize,
    token_endpoint: baseUrl + PATHS.token,
    device_authorization_endpoint: baseUrl + PATHS.device,
    registration_endpoint: baseUrl + PATHS.register,
    revocation_endpoint: baseUrl + PATHS.revoke,
    introspection_endpoint: baseUrl + PATHS.introspect,
    jwks_uri: baseUrl + PATHS.keys,
    scopes_supported: USUAL_SCOPES,
    response_types_supported: RESPONSE_TYPES,
    response_modes_supported: ['query'],
    grant_types_supported: [...GRANT_TYPES, DEVICE_GRANT],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    introspection_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    protected_resources: ownResources(baseUrl),
  };
}

/**
 * Returns the same for clients that support only OpenID discovery, with its required fields (OpenID
 * Connect Discovery 1.0, section 3). There are no ID tokens.
 */
export function openidMetadata(baseUrl: string): Record<string, unknown> {
  return {
    ...authorizationServerMetadata(baseUrl),
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  };
}

/**
 * Returns a resource's metadata (RFC 9728, section 2).
 *
 * @param scopes that it needs
 */
export function protectedResourceMetadata(
  baseUrl: string,
  resource: string,
  scopes: readonly Scope[],
): Record<string, unknown> {
  return {
    resource,
    authorization_servers: [baseUrl],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Briefs',
  };
}
