import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { ServiceError } from '../../base/errors.ts';
import type { RateLimiter } from '../../base/limits/rate-limit.ts';
import { withOrigin } from '../../core/audit/origin.ts';
import type { Context } from '../../core/context.ts';
import { addressBudgets, countAttempt } from '../../core/identity/attempts.ts';
import {
  describeScim,
  MOST_USERS,
  patchUser,
  presenter,
  presentList,
  presentProtocolError,
  readFilter,
  readUser,
  renderScimError,
  SCIM_TYPE,
} from './scim-messages.ts';
import { addPerson, changePersonOf, removePerson, requirePerson } from './scim-service.ts';
import { listPeopleFor } from './scim-store.ts';

const PATH = '/scim/v2';
const BODY_LIMIT_BYTES = 256 * 1024;

interface ListRoute {
  Querystring: Record<string, string | undefined>;
}
interface OneRoute extends ListRoute {
  Params: { id: string };
}

/** Adds SCIM 2.0 for users (RFC 7644), with which a company’s directory creates and disables accounts. */
export async function addScimRoutes(
  app: FastifyInstance,
  parts: { context: Context; limiter: RateLimiter },
  token: string,
): Promise<void> {
  const { context, limiter } = parts;
  const base = `${context.webUrl}${PATH}`;
  const described = describeScim(base);

  await app.register(
    async (scope) => {
      scope.addHook('onRequest', async (request, reply) => {
        reply.header('cache-control', 'no-store');
        await requireToken(limiter, request, token, reply);
      });
      scope.addContentTypeParser(
        [SCIM_TYPE, 'application/json'],
        { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
        async (_request: FastifyRequest, text: string | Buffer) => readJson(String(text)),
      );
      scope.setErrorHandler((fault, request, reply) => {
        const shown = presentProtocolError(fault);
        if (shown) return send(reply, shown.body, shown.status);
        request.renderError = renderScimError;
        throw fault;
      });
      scope.setNotFoundHandler(() => {
        throw new ServiceError('NOT_FOUND', 'Only users are here: Users, and what describes them.');
      });

      scope.get('/ServiceProviderConfig', async (_request, reply) =>
        send(reply, await described.ServiceProviderConfig()),
      );
      for (const name of ['ResourceTypes', 'Schemas'] as const) {
        scope.get(`/${name}`, async (_request, reply) => send(reply, await described[name]()));
        scope.get<OneRoute>(`/${name}/:id`, async ({ params }, reply) =>
          send(reply, await described[name](params.id)),
        );
      }

      scope.get<ListRoute>('/Users', async ({ query }, reply) => {
        const wanted = readFilter(query.filter);
        const present = presenter(base, query);
        const start = Math.max(1, wholeNumber(query.startIndex, 1));
        const size = Math.min(MOST_USERS, Math.max(0, wholeNumber(query.count, MOST_USERS)));
        const page = { offset: start - 1, size };
        const { items, total } = await listPeopleFor(context.sql.read, wanted, page);
        return send(reply, presentList(items.map(present), total, start));
      });

      scope.post<ListRoute>('/Users', async ({ body, query }, reply) => {
        const present = presenter(base, query);
        const row = await asDirectory(() => addPerson(context, readUser(body)));
        reply.header('location', `${base}/Users/${row.id}`);
        return send(reply, present(row), 201);
      });

      scope.get<OneRoute>('/Users/:id', async ({ params, query }, reply) =>
        send(reply, presenter(base, query)(await requirePerson(context.sql.read, params.id))),
      );

      scope.put<OneRoute>('/Users/:id', async ({ params, query, body }, reply) => {
        const present = presenter(base, query);
        const before = await requirePerson(context.sql.read, params.id);
        const person = readUser(body);
        const row = await asDirectory(() => changePersonOf(context, before.id, person));
        return send(reply, present(row));
      });

      scope.patch<OneRoute>('/Users/:id', async ({ params, query, body }, reply) => {
        const present = presenter(base, query);
        const before = await requirePerson(context.sql.read, params.id);
        const person = await patchUser(before, base, body);
        const row = await asDirectory(() => changePersonOf(context, before.id, person));
        return send(reply, present(row));
      });

      // The documents stay, to be handed over, so the account does, too.
      scope.delete<OneRoute>('/Users/:id', async ({ params }, reply) => {
        const { id } = await requirePerson(context.sql.read, params.id);
        await asDirectory(() => removePerson(context, id));
        return reply.code(204).send();
      });
    },
    { prefix: PATH },
  );
}

/** Lets the audit trail say that the directory does it. */
function asDirectory<T>(work: () => Promise<T>): Promise<T> {
  return withOrigin({ command: { user: 'SCIM' } }, work);
}

/** @throws UNAUTHORIZED; TooManyAttempts */
async function requireToken(
  limiter: RateLimiter,
  request: FastifyRequest,
  token: string,
  reply: FastifyReply,
): Promise<void> {
  const [, given = ''] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const [one, other] = [given, token].map((each) => Buffer.from(hashSecret(each)));
  if (timingSafeEqual(one as Buffer, other as Buffer)) return;
  await countAttempt(limiter, addressBudgets('signIn', request.ip));
  reply.header('www-authenticate', 'Bearer');
  throw new ServiceError('UNAUTHORIZED', 'The token isn’t that of this server.');
}

/** @throws BAD_REQUEST */
function readJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError('BAD_REQUEST', 'The body isn’t JSON.');
  }
}

function wholeNumber(text: string | undefined, otherwise: number): number {
  return text !== undefined && /^-?\d{1,9}$/.test(text) ? Number(text) : otherwise;
}

/** Sends JSON of this protocol. */
function send(reply: FastifyReply, body: object, status = 200): FastifyReply {
  return reply.code(status).type(SCIM_TYPE).send(JSON.stringify(body));
}
