import { Type } from 'typebox';
import { KINDS } from '../../base/schema/kind.ts';
import { refsOf } from '../../surfaces/rest/document-path.ts';
import { type Api, addOperation, listAnswer, NO_CONTENT } from '../../surfaces/rest/operation.ts';
import { ADMINISTRATOR, inOrganization } from '../../surfaces/rest/rules.ts';
import { presentTakedown, TakeDownBody, TakedownSchema } from './takedown-schema.ts';
import {
  endTakedown,
  listAllTakedowns,
  listOrganizationTakedowns,
  listOwnTakedowns,
  takeDown,
} from './takedown-service.ts';

const tag = 'Takedowns';

/** Adds the routes that take documents down, and list what is taken down. */
export function addTakedownOperations(api: Api): void {
  for (const { kind, segment, title, bodyLimitBytes } of Object.values(KINDS)) {
    const refOf = refsOf(kind);
    const one = {
      tag,
      scope: 'admin',
      path: `/admin/${segment}/{owner}/{name}/takedown`,
      bodyLimit: bodyLimitBytes,
      rule: ADMINISTRATOR,
      errors: [404],
    } as const;

    addOperation(api, {
      ...one,
      method: 'PUT',
      id: `takeDown${title}`,
      summary: `Take a ${kind} down`,
      description:
        'Hides it from everybody at once. For those who manage it, every request answers 451 with ' +
        'the reason, and they can only delete it; they are mailed. Whatever its visibility is. ' +
        'Again, it gives another reason.',
      body: TakeDownBody,
      answers: { 200: TakedownSchema },
      handler: async ({ context, actor, params, body }) => {
        const takedown = await takeDown(context, actor, refOf(params), body);
        return { status: 200, data: presentTakedown(takedown) };
      },
    });

    addOperation(api, {
      ...one,
      method: 'DELETE',
      id: `endTakedownOf${title}`,
      summary: `Restore a ${kind} that is taken down`,
      description: 'It is there again as it was, with its visibility, links and collaborators.',
      answers: { 204: null },
      handler: async ({ context, actor, params }) => {
        await endTakedown(context, actor, refOf(params));
        return NO_CONTENT;
      },
    });
  }

  const list = {
    method: 'GET',
    scope: 'documents:read',
    tag,
    paginated: true,
    answers: { 200: Type.Array(TakedownSchema) },
  } as const;

  addOperation(api, {
    ...list,
    path: '/admin/takedowns',
    scope: 'admin',
    id: 'listTakedowns',
    summary: 'List what is taken down',
    description: 'All documents that are taken down, those in the trash, too.',
    rule: ADMINISTRATOR,
    handler: async ({ context, actor, page }) =>
      listAnswer(await listAllTakedowns(context, actor, page), presentTakedown),
  });

  addOperation(api, {
    ...list,
    path: '/user/takedowns',
    id: 'listOwnTakedowns',
    summary: 'List your documents that are taken down',
    description: 'No other list has them.',
    handler: async ({ context, actor, page }) =>
      listAnswer(await listOwnTakedowns(context, actor, page), presentTakedown),
  });

  addOperation(api, {
    ...list,
    path: '/orgs/{org}/takedowns',
    id: 'listOrganizationTakedowns',
    summary: 'List an organization’s documents that are taken down',
    description: 'For its admins. No other list has them.',
    rule: inOrganization('seeTakedowns'),
    handler: async ({ context, actor, params, page }) =>
      listAnswer(
        await listOrganizationTakedowns(context, actor, params.org, page),
        presentTakedown,
      ),
  });
}
