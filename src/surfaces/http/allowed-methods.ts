import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { pathOf } from '../../core/config/listening-addresses.ts';

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
 * @returns `methodsOf` lists the methods of a path, sorted; none if there is no such route. `nearTo`
 *   says for such a path what there is below its longest beginning that leads somewhere
 */
export function collectRoutes(app: FastifyInstance): {
  methodsOf: (path: string) => string[];
  nearTo: (path: string) => string;
} {
  const routes: { url: string; pattern: RegExp; methods: string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    // A preflight's route, at every address.
    if (url === '*') return;
    const path = url.replaceAll('.', '\\.').replace('*', '.*').replaceAll(/:\w+/g, '[^/]+');
    routes.push({ url, pattern: new RegExp(`^${path}/?$`), methods: [method].flat().map(String) });
  });
  return {
    methodsOf: (path) => {
      const methods = routes
        .filter(({ pattern }) => pattern.test(path))
        .flatMap((one) => one.methods);
      return [...new Set(methods)].filter((method) => method !== 'OPTIONS').sort();
    },
    nearTo: (path) => {
      const asked = path.split('/');
      const known = routes.map(({ url }) => url.replaceAll(/:(\w+)/g, '{$1}').split('/'));
      const common = known.map((segments) => {
        const at = segments.findIndex((one, index) => one !== asked[index] && !one.startsWith('{'));
        return Math.min(at < 0 ? segments.length : at, asked.length);
      });
      const most = Math.max(...common);
      const nearest = known.filter((_, index) => common[index] === most);
      const next = new Set(nearest.flatMap((segments) => segments.slice(most, most + 1)));
      const above = nearest[0]?.slice(0, most).join('/');
      if (next.size === 0) return `Nothing is below ${above}.`;
      return `Below ${above}/ are: ${[...next].sort().join(', ')}.`;
    },
  };
}

/** Answers 405 where the routes that are added from now on have other methods. */
export function refuseOtherMethods(app: FastifyInstance): void {
  const { methodsOf } = collectRoutes(app);
  app.addHook('onRequest', async (request) => {
    const allowed = request.is404 ? methodsOf(pathOf(request.url)) : [];
    if (allowed.length > 0) throw new MethodNotAllowed(request.method, allowed);
  });
}
