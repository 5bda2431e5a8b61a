import type { DocumentKind } from '../../base/schema/kind.ts';
import { refsOf } from '../../surfaces/rest/document-path.ts';
import { get, remove } from '../../surfaces/rest/endpoints.ts';
import { type Api, addOperation, NO_CONTENT } from '../../surfaces/rest/operation.ts';
import { documentRules } from '../../surfaces/rest/rules.ts';
import { SubscriptionSchema } from './feed-schema.ts';
import { getWatchLevel, setWatchLevel } from './watch-service.ts';

const tag = 'Events';

/** Adds the routes of the caller's notification level for a document. */
export function addSubscriptionOperations(
  api: Api,
  { kind, segment, title, bodyLimitBytes }: DocumentKind,
): void {
  const refOf = refsOf(kind);
  const can = documentRules(kind);
  const document = `/${segment}/{owner}/{name}` as const;

  const subscription = {
    path: `${document}/subscription`,
    tag,
    scope: 'documents:read',
  } as const;

  get(api, {
    ...subscription,
    id: `get${title}Subscription`,
    summary: `Get your notification level for a ${kind}`,
    description:
      'Default: everything for documents that you own, wrote or commented on, and mentions and ' +
      'review requests for all others.',
    answer: SubscriptionSchema,
    rule: can('read'),
    handler: async ({ call, params }) => ({ level: await getWatchLevel(call, refOf(params)) }),
  });

  addOperation(api, {
    ...subscription,
    method: 'PUT',
    id: `set${title}Subscription`,
    summary: `Set your notification level for a ${kind}`,
    description: 'Only for yourself. Others can’t see it.',
    body: SubscriptionSchema,
    bodyLimit: bodyLimitBytes,
    answers: { 204: null },
    rule: can('read'),
    handler: async ({ call, params, body }) => {
      await setWatchLevel(call, refOf(params), body.level);
      return NO_CONTENT;
    },
  });

  remove(api, {
    ...subscription,
    id: `delete${title}Subscription`,
    summary: `Reset your notification level for a ${kind}`,
    description: 'Restores the default.',
    rule: can('read'),
    handler: ({ call, params }) => setWatchLevel(call, refOf(params), undefined),
  });
}
