// Adds setCookie to replies.
import '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A cookie of the web host only, invisible to scripts. */
export interface Cookie {
  /** Returns the value, or `undefined` if there are none or several, because one may be forged. */
  read(request: FastifyRequest): string | undefined;
  set(reply: FastifyReply, value: string): void;
  clear(reply: FastifyReply): void;
}

/**
 * Describes a cookie. With https, its name starts with `__Host-`, so that no other host can set it.
 *
 * @param options.maxAgeMs how long browsers keep it
 */
export function hostCookie(webUrl: string, options: { name: string; maxAgeMs: number }): Cookie {
  const secure = webUrl.startsWith('https:');
  const name = secure ? `__Host-${options.name}` : options.name;
  const write = (reply: FastifyReply, value: string, maxAge: number) => {
    const attributes = { path: '/', httpOnly: true, secure, sameSite: 'lax', maxAge } as const;
    reply.setCookie(name, value, attributes);
  };
  return {
    read(request) {
      const values = valuesOf(request.headers.cookie ?? '', name);
      return values.length === 1 ? values[0] : undefined;
    },
    set: (reply, value) => write(reply, value, Math.floor(options.maxAgeMs / 1000)),
    clear: (reply) => write(reply, '', 0),
  };
}

/** Returns all values of a name in a `Cookie` header (RFC 6265, section 4.2.1). */
function valuesOf(header: string, name: string): string[] {
  return header.split(';').flatMap((pair) => {
    const [key = '', ...value] = pair.split('=');
    return key.trim() === name ? [value.join('=').trim()] : [];
  });
}
