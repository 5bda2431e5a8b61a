import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../base/errors.ts';

/** An address that has no such method (RFC 9110, section 15.5.6). */
export class MethodNotAllowed extends ServiceError {
  /** The methods that it has, for `Allow`. */
  readonly allowed: readonly string[];

  constructor(method: string, allowed: readonly string[]) {
    super('METHOD_NOT_ALLOWED', `This address has no ${method}, only ${allowed.join(', ')}.`);
    this.allowed = allowed;
  }
}

/**
 * Collects the routes that are added to an application from now on.
 *
 * @returns a function that lists the methods of a path, sorted; none if there is no such route
 */
export function collectMethods(app: FastifyInstance): (path: string) => string[] {
  const routes: { pattern: RegExp; methods: string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    // A preflight's route, at every address.
    if (url === '*') return;
    const path = url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+');
    routes.push({ pattern: new RegExp(`^${path}/?$`), methods: [method].flat().map(String) });
  });
  return (path) => {
    const methods = routes
      .filter(({ pattern }) => pattern.test(path))
      .flatMap((one) => one.methods);
    return [...new Set(methods)].filter((method) => method !== 'OPTIONS').sort();
  };
}
