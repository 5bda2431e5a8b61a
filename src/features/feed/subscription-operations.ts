import type { DocumentKind } from '../../base/schema/kind.ts';
import { refsOf } from '../../surfaces/rest/document-path.ts';
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

  addOperation(api, {
    ...subscription,
    method: 'GET',
    id: `get${title}Subscription`,
    summary: `Get your notification level for a ${kind}`,
    description:
      'Default: everything for documents that you own, wrote or commented on, and mentions and ' +
      'review requests for all others.',
    answers: { 200: SubscriptionSchema },
    rule: can('read'),
    handler: async ({ context, actor, params }) => {
      const level = await getWatchLevel(context, actor, refOf(params));
      return { status: 200, data: { level } };
    },
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
    handler: async ({ context, actor, params, body }) => {
      await setWatchLevel(context, actor, refOf(params), body.level);
      return NO_CONTENT;
    },
  });

  addOperation(api, {
    ...subscription,
    method: 'DELETE',
    id: `delete${title}Subscription`,
    summary: `Reset your notification level for a ${kind}`,
    description: 'Restores the default.',
    answers: { 204: null },
    rule: can('read'),
    handler: async ({ context, actor, params }) => {
      await setWatchLevel(context, actor, refOf(params), undefined);
      return NO_CONTENT;
    },
  });
}
