import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { CallerName, Stage } from './stage.ts';
import { example, type Schema } from './values.ts';

interface OperationObject {
  operationId: string;
  parameters?: {
    name: string;
    in: 'path' | 'query' | 'header';
    required?: boolean;
    schema: Schema;
  }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  security: { oauth: string[] }[];
}

/** An operation of the OpenAPI document. */
export interface Operation {
  id: string;
  method: string;
  /** `/briefs/{owner}/{name}` */
  template: string;
  pathParameters: string[];
  queryParameters: { name: string; required?: boolean; schema: Schema }[];
  /** The schema of its JSON body. */
  body: Schema | undefined;
  /** The field of its form. */
  formField: string | undefined;
  /** The scope that it needs. */
  scope: string;
  /** How fast-check prints it. */
  [fc.toStringMethod]: () => string;
}

/** The operations of an OpenAPI document. */
export function operationsOf(document: unknown): Operation[] {
  const { paths } = document as { paths: Record<string, Record<string, OperationObject>> };
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => {
      const { operationId, parameters = [], requestBody, security } = operation;
      return {
        id: operationId,
        method: method.toUpperCase(),
        template,
        pathParameters: Array.from(template.matchAll(/\{(\w+)\}/g), ([, name = '']) => name),
        queryParameters: parameters.filter((parameter) => parameter.in === 'query'),
        body: requestBody?.content['application/json']?.schema,
        formField: Object.keys(
          requestBody?.content['multipart/form-data']?.schema.properties ?? {},
        )[0],
        scope: security[0]?.oauth[0] ?? '',
        [fc.toStringMethod]: () => operationId,
      };
    }),
  );
}

/** For operations of the administrator of the instance. */
const MANAGED = { caller: 'steward', username: 'managed', org: 'abandoned' } as const;

/** Operations whose caller isn't Ada, or whose body must match existing data. */
const GOOD: Record<
  string,
  {
    caller?: CallerName;
    username?: string;
    number?: string;
    org?: string;
    body?: (talk: Stage['talk'][string]) => object;
  }
> = {
  ...Object.fromEntries(['listAudit', 'getQuotas', 'setQuotas'].map((id) => [id, MANAGED])),
  createUserBrief: { username: 'ada' },
  createUserPage: { username: 'ada' },
  deleteBriefCollaborator: { username: 'reader' },
  eraseBriefRevision: { number: '2' },
  erasePageRevision: { number: '2' },
  deletePageCollaborator: { username: 'reader' },
  deleteMember: { username: 'fellow' },
  acceptInvitation: { caller: 'invitee' },
  declineInvitation: { caller: 'invitee' },
  acceptMembership: { caller: 'newcomer' },
  leaveOrganization: { caller: 'fellow' },
  putOffInboxEntry: { caller: 'reader', body: () => ({ laterUntil: null }) },
  inviteOrganizationAddress: { body: () => ({ email: newAddress() }) },
  ...Object.fromEntries(
    [
      'listManagedUsers',
      'getManagedUser',
      'getUserDeletion',
      'deleteManagedUser',
      'endUserSessions',
      'revokeUserAccess',
      'listManagedOrganizations',
      'getManagedOrganization',
      'getBackgroundWork',
      'retryBackgroundWork',
      'sendTestMail',
      'getStorage',
    ].map((id) => [id, MANAGED]),
  ),
  createManagedUser: {
    ...MANAGED,
    body: () => ({ username: `u${randomUUID().slice(0, 8)}`, email: newAddress() }),
  },
  // A token hands over only to an organization of the user's.
  handOverDocuments: { ...MANAGED, username: 'fellow', body: () => ({ to: 'engines' }) },
  updateManagedUser: { ...MANAGED, body: () => ({ disabled: false }) },
  changeOrganizationProtection: { body: () => ({ protected: false }) },
  ...Object.fromEntries(
    ['Brief', 'Page'].flatMap((title) => [
      [`invite${title}Address`, { body: () => ({ email: newAddress(), permission: 'read' }) }],
      [`move${title}`, { body: () => ({ owner: 'engines', name: 'moved-here' }) }],
      [`create${title}Link`, { body: () => ({ access: 'read' }) }],
      [`open${title}Thread`, { body: () => ({ body: 'Why?' }) }],
      [`change${title}Thread`, { body: () => ({ state: 'resolved' }) }],
      [`change${title}ReviewSettings`, { body: () => ({ comments: 'readers' }) }],
      [`accept${title}Suggestions`, { body: suggested }],
      [`reject${title}Suggestions`, { body: suggested }],
      [`review${title}`, { body: ({ revision }) => ({ verdict: 'approved', revision }) }],
      [`request${title}Review`, { username: 'reader' }],
      [`withdraw${title}ReviewRequest`, { username: 'reader' }],
    ]),
  ),
};

/** Suggestions to accept or reject, as they were read. */
function suggested({ suggestion, revision }: Stage['talk'][string]) {
  return { threads: [suggestion], revision };
}

/** No address may be invited often. */
function newAddress(): string {
  return `${randomUUID()}@example.net`;
}

/**
 * A request that should succeed on a fresh stage.
 *
 * @param others replacements for names in the path
 */
export function goodRequest(
  { known, invitations, addresses, links, talk, webhooks, admin }: Stage,
  { id, template, method, body, queryParameters }: Operation,
  newName: () => string,
  others: Record<string, string> = {},
): { caller: CallerName; path: string; body: unknown } {
  const [, root = ''] = template.split('/');
  const {
    caller = root === 'admin' ? 'steward' : 'ada',
    username = 'stranger',
    number = '1',
    org = 'engines',
    body: fitting,
  } = GOOD[id] ?? {};
  const { thread: asked, proposal, comment } = talk[root] ?? {};
  const thread = template.endsWith('/proposal') ? proposal : asked;
  const needed = queryParameters.filter(({ required }) => required);
  const search = needed.map(({ name }) => `?${name}=notes`).join('');
  const values: Record<string, string | undefined> = {
    owner: 'ada',
    name: root !== 'admin' ? 'notes' : method === 'DELETE' ? 'restorable' : 'removable',
    org,
    username,
    inviteId: template.includes('/email_invitations')
      ? addresses[root as 'briefs' | 'pages' | 'orgs']
      : invitations[root === 'user' ? 'own' : (root as 'briefs' | 'pages' | 'orgs')],
    // One is restored, another deleted.
    id: template.includes('/webhooks/')
      ? webhooks[root as 'user' | 'orgs']
      : root === 'admin'
        ? admin[template.split('/')[2] as string]
        : root === 'trash'
          ? known.trashId.at(method === 'DELETE' ? -1 : 0)
          : known.id[0],
    number,
    thread,
    comment,
    linkId: links[root],
    position: known.position[0],
    ...others,
  };
  return {
    caller,
    path: template.replace(/\{(\w+)\}/g, (_match, name: string) => values[name] || 'x') + search,
    body: fitting
      ? fitting(talk[root] as Stage['talk'][string])
      : body && example(body, newName, method === 'POST' ? ['name'] : []),
  };
}
