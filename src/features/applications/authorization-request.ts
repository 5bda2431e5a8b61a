import type { Scope } from '../../core/identity/scope.ts';
import { redirectHost } from './redirect-uri.ts';

/** An application's request to a user. */
export interface AuthorizationRequest {
  clientId: string;
  /** The application's own name, unverified. */
  clientName: string;
  /** Whether the client id is an address on the application's host. */
  hostProven: boolean;
  /** For a device, only the first that it registered: it isn't used. */
  redirectUri: string;
  /** If a device without a browser asks. */
  device?: {
    /** Where it asked from. */
    address: string;
    /** Since somebody entered its code: SHA-256 of its own code, theirs, and who entered it. */
    hash?: string;
    userCode?: string;
    accountId?: string;
  };
  scopes: Scope[];
  /** Our resource addresses that it wants to access, as it wrote them. */
  resources: string[];
}

/** Returns where a request leads back to, for display. */
export function destinationOf({ device, redirectUri }: AuthorizationRequest): string {
  return device ? `device at ${device.address}` : redirectHost(redirectUri);
}
