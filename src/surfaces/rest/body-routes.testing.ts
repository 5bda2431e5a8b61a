import { type Client, type Service, startService } from '../../../test/harness.ts';
import { eventsPlaced, UNSENT_MAIL, verify } from '../../../test/mail/post-office.ts';
import { dereference } from '../../../test/openapi-checker.ts';
import { KINDS } from '../../base/schema/kind.ts';
import { setAdmin } from '../../core/identity/admin.ts';
import { ALL_SCOPES } from '../../core/identity/scope.ts';
import { createToken } from '../../core/identity/token-service.ts';
import { makeReport } from '../../features/moderation/reports.testing.ts';

/** The schema of a body's field. */
export interface Field {
  type: string | string[];
  format?: string;
  enum?: string[];
  examples?: unknown[];
  minimum?: number;
}

interface Body {
  properties: Record<string, Field>;
  required?: string[];
  minProperties?: number;
}

interface Operation {
  requestBody?: { content: { 'application/json'?: { schema: Body } } };
}

/** A route with a body, and a caller for whom a valid body works. */
export interface BodyRoute {
  method: 'POST' | 'PATCH' | 'PUT';
  /** The path as in the OpenAPI document. */
  template: string;
  path: string;
  caller: Client;
  fields: Record<string, Field>;
  required: string[];
  /** A valid body. */
  valid: Record<string, unknown>;
  /** Whether the body is optional. */
  emptyAllowed: boolean;
}

/** A service with a target for every route that takes a body. */
export interface Furnished {
  service: Service;
  /** Those of the OpenAPI document. */
  routes: BodyRoute[];
  ada: Client;
  /** A user without access to anything. */
  stranger: Client;
  /** An administrator of the instance, with all scopes. */
  steward: Client;
}

export async function startFurnished(settings: Record<string, string> = {}): Promise<Furnished> {
  const service = await startService({ ...UNSENT_MAIL, ...settings });
  const [ada, alan, , stranger] = await Promise.all(
    ['ada', 'alan', 'grace', 'stranger'].map((name) => service.user(name)),
  );
  if (!ada || !alan || !stranger) throw new Error('unreachable');
  await verify(service, 'ada');
  await service.user('steward');
  await setAdmin(service.app.context, undefined, { username: 'steward', isAdmin: true });
  const administers = { username: 'steward', name: 'admin', lifetimeMs: undefined };
  const scopes = ALL_SCOPES;
  const { token } = await createToken(service.app.context, { ...administers, scopes });
  const steward = service.client(token);
  await ada.post('/user/orgs', { namespace: 'engines', name: 'Engines' });
  await ada.put('/orgs/engines/members/alan', {});

  /** What a path's parameters mean, by the path's first part. */
  const targets: Record<string, Record<string, string>> = {
    users: { username: 'ada' },
    orgs: { org: 'engines', username: 'grace' },
    user: { org: 'engines' },
    admin: { username: 'grace', org: 'engines', owner: 'grace' },
  };
  const hook = { url: 'https://example.com/hook', types: ['revision.created'] };
  for (const [root, path] of [
    ['user', '/user/webhooks'],
    ['orgs', '/orgs/engines/webhooks'],
  ] as const) {
    targets[root] = { ...targets[root], id: (await ada.post(path, hook)).data.id };
  }
  const deleted = await ada.post('/user/briefs', { content: '# Deleted', name: 'deleted' });
  await ada.delete('/briefs/ada/deleted');
  targets.trash = { id: deleted.data.id };
  for (const { segment, contentField } of Object.values(KINDS)) {
    await ada.post(`/user/${segment}`, { [contentField]: '# Spam', name: 'spam' });
  }
  const spam = (await ada.get('/briefs/ada/spam')).data;
  targets.admin = {
    ...targets.admin,
    owner: 'ada',
    name: 'spam',
    id: await makeReport(service, spam.id),
  };
  for (const { segment, contentField } of Object.values(KINDS)) {
    const notes = `/${segment}/ada/notes`;
    const create = { [contentField]: '# Notes', name: 'notes', visibility: 'private' };
    await ada.post(`/user/${segment}`, create);
    const invited = await ada.put(`${notes}/collaborators/alan`, { permission: 'read' });
    const thread = (await ada.post(`${notes}/threads`, { body: 'Why?' })).data;
    targets[segment] = {
      owner: 'ada',
      name: 'notes',
      username: 'grace',
      number: '1',
      inviteId: invited.data.id,
      thread: thread.id,
      comment: thread.comments[0].id,
    };
  }

  // For an entry in Ada's inbox.
  await ada.post('/user/briefs', { content: '# Talk', name: 'talk', visibility: 'public' });
  await ada.patch('/briefs/ada/talk/review-settings', { comments: 'readers' });
  await stranger.post('/briefs/ada/talk/threads', { body: 'Why?' });
  await eventsPlaced(service);
  const [entry] = (await ada.get('/user/inbox')).data;
  targets.user = { ...targets.user, position: String(entry.position) };
  // Only who was invited can accept.
  const callers: Record<string, Client> = { '/user/memberships/orgs/{org}': alan };
  const document = await (await fetch(`${service.baseUrl}/openapi.json`)).json();
  const { paths } = dereference(document as { paths: Record<string, Record<string, Operation>> });
  const routes = Object.entries(paths).flatMap(([template, operations]) =>
    Object.entries(operations).flatMap(([method, operation]): BodyRoute[] => {
      const schema = operation.requestBody?.content['application/json']?.schema;
      if (!schema) return [];
      const [, root = ''] = template.split('/');
      const { properties, required = [], minProperties } = schema;
      return [
        {
          method: method.toUpperCase() as BodyRoute['method'],
          template,
          path: template.replace(/\{(\w+)\}/g, (_, name: string) => {
            const value = targets[root]?.[name];
            if (!value) throw new Error(`${template}: what is {${name}}?`);
            return value;
          }),
          caller: callers[template] ?? (root === 'admin' ? steward : ada),
          fields: properties,
          required,
          valid: exampleOf(schema),
          emptyAllowed: required.length === 0 && !minProperties,
        },
      ];
    }),
  );
  return { service, routes, ada, stranger, steward };
}

/** A valid body: the required fields, and the first one. */
function exampleOf({ properties, required = [] }: Body): Record<string, unknown> {
  const names = Object.keys(properties).filter(
    (name, index) => index === 0 || required.includes(name),
  );
  return Object.fromEntries(names.map((name) => [name, exampleFor(name, properties[name])]));
}

function exampleFor(name: string, field: Field | undefined): unknown {
  // Its examples are in the descriptions of the operations.
  if (name === 'edits') return [{ op: 'append', content: 'x' }];
  if (field?.enum) return field.enum[0];
  if (field?.examples) return field.examples[0];
  if (field?.type === 'boolean') return true;
  if (field?.type === 'integer') return field.minimum ?? 1;
  return 'text';
}

/** A request with these bytes as its body and these headers. */
export function withBytes(
  { method, path, caller }: Pick<BodyRoute, 'method' | 'path' | 'caller'>,
  bytes: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = { 'content-type': 'application/json' },
) {
  // As bytes, because a text would get its own content type.
  return caller.request(path, { method, headers, body: Buffer.from(bytes as Uint8Array) });
}
