import { AsyncLocalStorage } from 'node:async_hooks';

/** Where a write comes from, as far as it isn't known from its actor. */
export interface Origin {
  /** An operator's command; `undefined` for a request, or work that the service does by itself. */
  command?: { user: string };
  /** The IP address that the request came from. */
  address?: string;
  userAgent?: string;
}

const origins = new AsyncLocalStorage<Origin>();

/** Does some work, of which the audit trail then says where it came from. */
export function withOrigin<T>(origin: Origin, work: () => T): T {
  return origins.run(origin, work);
}

/** Returns where the current work comes from; `{}` for what the service does by itself. */
export function currentOrigin(): Origin {
  return origins.getStore() ?? {};
}
