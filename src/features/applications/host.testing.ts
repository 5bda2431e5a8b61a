import { randomUUID } from 'node:crypto';
import type {
  OAuthClientInformationMixed,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
} from '@modelcontextprotocol/client';

/** An agent host's storage, for the official client's own flow. */
export class Host implements OAuthClientProvider {
  readonly redirectUrl: string;
  information: OAuthClientInformationMixed | undefined;
  held: OAuthTokens | undefined;
  verifier = '';
  private found: OAuthDiscoveryState | undefined;
  /** Where the client has sent its user; `undefined` if it hasn't, or this has been read. */
  sentTo: URL | undefined;
  /** The state that the response has to contain. */
  expectedState = '';

  constructor(redirectUrl = 'http://localhost:3334/oauth/callback') {
    this.redirectUrl = redirectUrl;
  }

  get clientMetadata() {
    return {
      client_name: 'Official host',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }
  state() {
    this.expectedState = randomUUID();
    return this.expectedState;
  }
  clientInformation() {
    return this.information;
  }
  saveClientInformation(information: OAuthClientInformationMixed) {
    this.information = information;
  }
  tokens() {
    return this.held;
  }
  saveTokens(tokens: OAuthTokens) {
    this.held = tokens;
  }
  /** Called when stored data is refused. */
  invalidateCredentials(scope: string) {
    if (scope === 'tokens' || scope === 'all') this.held = undefined;
    if (scope === 'client' || scope === 'all') this.information = undefined;
  }
  saveDiscoveryState(found: OAuthDiscoveryState) {
    this.found = found;
  }
  discoveryState() {
    return this.found;
  }
  redirectToAuthorization(url: URL) {
    this.sentTo = url;
  }
  saveCodeVerifier(verifier: string) {
    this.verifier = verifier;
  }
  codeVerifier() {
    return this.verifier;
  }
}
