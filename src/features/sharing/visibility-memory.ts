import type { FastifyReply, FastifyRequest } from 'fastify';
import { VISIBILITIES, type Visibility } from '../../base/schema/visibility.ts';
import { hostCookie } from '../../surfaces/web/cookies.ts';

const YEAR_MS = 365 * 24 * 60 * 60_000;

/** The most owners to remember. */
const MAX_OWNERS = 20;

/** Remembers the last visibility chosen for a new document of each owner, in the browser. */
export interface VisibilityMemory {
  /** Returns visibilities by the owner's namespace, the latest first. */
  of(request: FastifyRequest): Map<string, Visibility>;
  keep(request: FastifyRequest, reply: FastifyReply, owner: string, visibility: Visibility): void;
}

export function createVisibilityMemory(webUrl: string): VisibilityMemory {
  const cookie = hostCookie(webUrl, { name: 'briefs-visibility', maxAgeMs: YEAR_MS });
  const of: VisibilityMemory['of'] = (request) =>
    new Map(
      (cookie.read(request) ?? '').split('~').flatMap((entry) => {
        const [owner = '', word] = entry.split('.');
        const visibility = VISIBILITIES.find((each) => each === word);
        return visibility ? [[owner, visibility] as const] : [];
      }),
    );
  return {
    of,
    keep(request, reply, owner, visibility) {
      const others = [...of(request)].filter(([namespace]) => namespace !== owner);
      const all = [[owner, visibility] as const, ...others].slice(0, MAX_OWNERS);
      cookie.set(reply, all.map((entry) => entry.join('.')).join('~'));
    },
  };
}
