import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import fastify, { type RouteOptions } from 'fastify';
import { startService } from '../../../test/harness.ts';
import { UNSENT_MAIL } from '../../../test/mail/post-office.ts';
import { dereference } from '../../../test/openapi-checker.ts';
import { goodRequest, operationsOf } from '../../../test/security/fuzz/operations.ts';
import { type CallerName, makeStage } from '../../../test/security/fuzz/stage.ts';
import { type Actor, callOf } from '../../core/context.ts';
import { authenticate } from '../../core/identity/token-service.ts';
import { addOperations } from '../../features.ts';
import { createAccountQueue } from '../http/account-queue.ts';
import { createBodyQueue } from '../http/body-queue.ts';
import { createUnread } from '../http/unread.ts';
import type { Rule } from './rules.ts';

const CALLERS = ['ada', 'stranger', 'reader', 'writer', 'invitee', 'fellow', 'newcomer'] as const;

/** Replacements in a path: none, another owner's documents, an owner of the other type. */
const PLACES = [
  {},
  { owner: 'cellar', name: 'vault' },
  { org: 'cellar', username: 'nobody' },
  { org: 'ada', username: 'engines' },
];

/** What is called with the parts of a request, without the check that comes before. */
type Handler = (request: object, reply: object) => Promise<unknown>;

describe('The rules of operations', async () => {
  const routes = new Map<string, RouteOptions>();

  const service = await startService(UNSENT_MAIL);
  const stage = await makeStage(service);
  const operations = operationsOf(
    dereference(await (await fetch(`${service.baseUrl}/openapi.json`)).json()),
  );
  const app = fastify();
  app.addHook('onRoute', (route) => {
    const { operationId } = route.schema as { operationId: string };
    routes.set(operationId, route);
  });
  await addOperations({
    app,
    context: service.app.context,
    baseUrl: service.baseUrl,
    bodyQueue: createBodyQueue(),
    unread: createUnread(),
    accountQueue: createAccountQueue(),
  });
  after(() => stage.service.stop());

  const actorOf = async (caller: CallerName): Promise<Actor> =>
    (await authenticate(
      stage.service.app.context,
      stage.clients[caller].token ?? '',
      'api',
    )) as Actor;

  it('each service refuses by itself whom the rule of its operation refuses', async () => {
    const { context } = stage.service.app;
    let refused = 0;
    for (const operation of operations) {
      const { config, handler } = routes.get(operation.id) as RouteOptions;
      const rule = config?.rule as Rule<unknown> | undefined;
      if (!rule || operation.formField) continue;
      for (const [caller, place] of CALLERS.flatMap((one) =>
        PLACES.map((at) => [one, at] as const),
      )) {
        const { path, body } = goodRequest(stage, operation, () => 'made', place);
        const params = paramsOf(operation.template, path);
        const actor = await actorOf(caller);
        const refusal = await rule.check(callOf(context, actor), params).then(
          () => undefined,
          ({ code }) => code as string,
        );
        if (refusal === undefined) continue;
        refused++;
        const request = { actor, params, body, query: {}, headers: {}, url: path };
        await assert.rejects(
          (handler as Handler)(request, {}),
          ({ code }: { code?: string }) => code === refusal,
          `${operation.id} at ${path} for ${caller}: ${refusal}`,
        );
      }
    }
    assert.ok(refused > 1_000, `${refused} refusals`);
  });
});

/** Reads a path's parameters, such as `{owner}`. */
function paramsOf(template: string, path: string): Record<string, string> {
  const parts = path.replace(/\?.*/, '').split('/');
  const names = template.split('/').map((part) => part.match(/^\{(\w+)\}$/)?.[1]);
  return Object.fromEntries(
    names.flatMap((name, index) => (name ? [[name, decodeURIComponent(parts[index] ?? '')]] : [])),
  );
}
