import { createToken } from '../../src/core/identity/token-service.ts';
import type { Client, Service } from '../harness.ts';
import { newVisitor, PASSWORD, signIn, whoIs } from '../sign-in/visitor.ts';

/** Whose data is looked at. */
const PEOPLE = ['ada', 'grace', 'edsger'] as const;

/** What a document has. */
const DETAILS = [
  'threads?state=all',
  'reviews',
  'review-settings',
  'collaborators',
  'invitations',
  'links',
  'labels',
  'events',
  'authorship',
];

/** What everyone sees: the answers of the API by person and path. */
export type Observed = Record<string, Record<string, unknown>>;

/** Asks for everything that each person can see, and whether they can still sign in. */
export async function observe(service: Service): Promise<Observed> {
  const observed: Observed = {};
  for (const username of PEOPLE) {
    const asked = { username, name: 'looking', lifetimeMs: undefined };
    const { token } = await createToken(service.app.context, asked);
    observed[username] = await see(service, service.client(token));
    const visitor = newVisitor(service);
    await signIn(visitor, username, PASSWORD);
    observed[username]['signed in'] = (await whoIs(visitor)) ?? null;
  }
  return observed;
}

async function see(service: Service, client: Client): Promise<Record<string, unknown>> {
  const seen: Record<string, unknown> = {};
  const look = async (path: string) => {
    const { status, data } = await client.get(path);
    seen[path] = { status, data: withoutAddresses(service, data) };
    return Array.isArray(data) ? data : [];
  };
  for (const path of [
    'profile',
    'files',
    'webhooks',
    'inbox',
    'trash',
    'pins',
    'brief_invitations',
  ]) {
    await look(`/user/${path}`);
  }
  await look('/user/memberships/orgs');
  const lists = ['/briefs', '/pages', '/users/ada/briefs'];
  for (const { namespace } of await look('/user/orgs')) {
    const of = `/orgs/${namespace}`;
    for (const what of ['', '/members', '/invitations', '/trash', '/protection', '/webhooks']) {
      await look(of + what);
    }
    lists.push(`${of}/briefs`, `${of}/pages`);
  }
  for (const list of lists) {
    const kind = list.slice(list.lastIndexOf('/') + 1);
    for (const { ownerNamespace, name } of await look(list)) {
      const path = `/${kind}/${ownerNamespace}/${name}`;
      await look(path);
      for (const { number } of await look(`${path}/revisions`)) {
        await look(`${path}/revisions/${number}`);
      }
      for (const what of DETAILS) await look(`${path}/${what}`);
    }
  }
  return seen;
}

/**
 * Leaves out what belongs to a running service and not to its data: its addresses, signatures, and
 * digests, which only stand for what else is shown.
 */
function withoutAddresses({ webUrl, baseUrl, renderUrl }: Service, data: unknown): unknown {
  const text = JSON.stringify(data, (key, value) =>
    /^(lastUsedAt|signed.*|rawUrl|etag|digest)$/.test(key) ? undefined : value,
  );
  if (text === undefined) return null;
  return JSON.parse(
    text
      .replaceAll(baseUrl, '{base_url}')
      .replaceAll(webUrl, '{web_url}')
      .replaceAll(renderUrl, '{render_url}'),
  );
}
