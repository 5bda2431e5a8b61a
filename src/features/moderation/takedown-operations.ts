import { KINDS } from '../../base/schema/kind.ts';
import { refsOf } from '../../surfaces/rest/document-path.ts';
import { list, put, remove } from '../../surfaces/rest/endpoints.ts';
import type { Api } from '../../surfaces/rest/operation.ts';
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

    put(api, {
      ...one,
      id: `takeDown${title}`,
      summary: `Take a ${kind} down`,
      description:
        'Hides it from everybody at once. For those who manage it, every request answers 451 with ' +
        'the reason, and they can only delete it; they are mailed. Whatever its visibility is. ' +
        'Again, it gives another reason.',
      body: TakeDownBody,
      answer: TakedownSchema,
      handler: async ({ call, params, body }) =>
        presentTakedown(await takeDown(call, call.actor, refOf(params), body)),
    });

    remove(api, {
      ...one,
      id: `endTakedownOf${title}`,
      summary: `Restore a ${kind} that is taken down`,
      description: 'It is there again as it was, with its visibility, links and collaborators.',
      handler: ({ call, params }) => endTakedown(call, call.actor, refOf(params)),
    });
  }

  const listed = {
    tag,
    scope: 'documents:read',
    items: TakedownSchema,
    present: presentTakedown,
  } as const;

  list(api, {
    ...listed,
    path: '/admin/takedowns',
    scope: 'admin',
    id: 'listTakedowns',
    summary: 'List what is taken down',
    description: 'All documents that are taken down, those in the trash, too.',
    rule: ADMINISTRATOR,
    find: ({ call, page }) => listAllTakedowns(call, call.actor, page),
  });

  list(api, {
    ...listed,
    path: '/user/takedowns',
    id: 'listOwnTakedowns',
    summary: 'List your documents that are taken down',
    description: 'No other list has them.',
    find: ({ call, page }) => listOwnTakedowns(call, page),
  });

  list(api, {
    ...listed,
    path: '/orgs/{org}/takedowns',
    id: 'listOrganizationTakedowns',
    summary: 'List an organization’s documents that are taken down',
    description: 'For its admins. No other list has them.',
    rule: inOrganization('seeTakedowns'),
    find: ({ call, params, page }) => listOrganizationTakedowns(call, params.org, page),
  });
}
