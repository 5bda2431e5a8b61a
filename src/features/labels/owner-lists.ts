import type { TSchema } from 'typebox';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import type { Call, Context } from '../../core/context.ts';
import type { OwnerRef } from '../../core/owner/document-owner-service.ts';
import { list } from '../../surfaces/rest/endpoints.ts';
import type { Api } from '../../surfaces/rest/operation.ts';
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
  find: (call: Call, owner: OwnerRef, page: PageRequest) => Promise<Page<T>>;
  present: (item: T, context: Context) => unknown;
}

/** Adds a list at `/user/…`, `/users/{username}/…` and `/orgs/{org}/…`. */
export function addOwnerLists<T>(api: Api, lists: OwnerList<T>): void {
  const { segment, tag, what, description, item, find, present } = lists;
  const name = segment[0]?.toUpperCase() + segment.slice(1);
  const common = {
    tag,
    scope: 'documents:read',
    description,
    items: item,
    present: (one: T, { call }: { call: Call }) => present(one, call),
  } as const;

  list(api, {
    ...common,
    path: `/user/${segment}`,
    id: `listOwn${name}`,
    summary: `List your ${what}`,
    find: ({ call, page }) => find(call, { type: 'user', namespace: call.actor.username }, page),
  });

  list(api, {
    ...common,
    path: `/users/{username}/${segment}` as const,
    id: `listUser${name}`,
    summary: `List a user’s ${what}`,
    rule: ANY_USER,
    find: ({ call, params, page }) =>
      find(call, { type: 'user', namespace: params.username }, page),
  });

  list(api, {
    ...common,
    path: `/orgs/{org}/${segment}` as const,
    id: `listOrganization${name}`,
    summary: `List an organization’s ${what}`,
    rule: ANY_ORGANIZATION,
    find: ({ call, params, page }) =>
      find(call, { type: 'organization', namespace: params.org }, page),
  });
}
