import { type TSchema, Type } from 'typebox';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import type { Actor, Context } from '../../core/context.ts';
import type { OwnerRef } from '../../core/owner/document-owner-service.ts';
import { type Api, addOperation, listAnswer } from '../../surfaces/rest/operation.ts';
import { ANY_ORGANIZATION, ANY_USER } from '../../surfaces/rest/rules.ts';

/** A list that each owner has, such as its labels. */
interface OwnerList<T> {
  /** The last part of the paths and of the operations' ids: `labels`. */
  segment: 'labels' | 'pins';
  tag: string;
  /** The listed things, for summaries: what follows “List your”. */
  what: string;
  description: string;
  item: TSchema;
  find: (context: Context, actor: Actor, owner: OwnerRef, page: PageRequest) => Promise<Page<T>>;
  present: (item: T, context: Context) => unknown;
}

/** Adds a list at `/user/…`, `/users/{username}/…` and `/orgs/{org}/…`. */
export function addOwnerLists<T>(api: Api, list: OwnerList<T>): void {
  const { segment, tag, what, description, item, find, present } = list;
  const name = segment[0]?.toUpperCase() + segment.slice(1);
  const common = {
    ...({ tag, method: 'GET', scope: 'documents:read', paginated: true } as const),
    description,
    answers: { 200: Type.Array(item) },
  };
  type Call = { context: Context; actor: Actor; page: PageRequest };
  const answer = async ({ context, actor, page }: Call, owner: OwnerRef) =>
    listAnswer(await find(context, actor, owner, page), (one) => present(one, context));

  addOperation(api, {
    ...common,
    path: `/user/${segment}`,
    id: `listOwn${name}`,
    summary: `List your ${what}`,
    handler: (call) => answer(call, { type: 'user', namespace: call.actor.username }),
  });

  addOperation(api, {
    ...common,
    path: `/users/{username}/${segment}` as const,
    id: `listUser${name}`,
    summary: `List a user’s ${what}`,
    rule: ANY_USER,
    handler: (call) => answer(call, { type: 'user', namespace: call.params.username }),
  });

  addOperation(api, {
    ...common,
    path: `/orgs/{org}/${segment}` as const,
    id: `listOrganization${name}`,
    summary: `List an organization’s ${what}`,
    rule: ANY_ORGANIZATION,
    handler: (call) => answer(call, { type: 'organization', namespace: call.params.org }),
  });
}
