import { type Client, type Service, startService } from '../../../test/harness.ts';
import { UNSENT_MAIL, verify } from '../../../test/mail/post-office.ts';
import { KINDS } from '../../core/document/kind.ts';

/** The type of a body's field. */
export type Field =
  | { type: 'text'; required: boolean }
  | { type: 'boolean' | 'integer' | 'array' | 'object'; required: boolean }
  /** Or `null`. */
  | { type: 'time'; required: boolean }
  | { type: 'word'; words: readonly string[]; required: boolean };

/** A route with a body, and a caller for whom a valid body works. */
export interface BodyRoute {
  method: 'POST' | 'PATCH' | 'PUT';
  /** The path as in the OpenAPI document. */
  template: string;
  path: string;
  caller: Client;
  fields: Record<string, Field>;
  /** A valid body. */
  valid: Record<string, unknown>;
  /** Whether the body is optional. */
  emptyAllowed: boolean;
}

/** A service with a target for every route that takes a body. */
export interface Furnished {
  service: Service;
  routes: BodyRoute[];
  ada: Client;
  /** A user without access to anything. */
  stranger: Client;
}

const PERMISSION: Field = { type: 'word', words: ['read', 'write', 'admin'], required: true };
const OPTIONAL_TEXT: Field = { type: 'text', required: false };
const OPTIONAL_OBJECT: Field = { type: 'object', required: false };
const OPTIONAL_INTEGER: Field = { type: 'integer', required: false };
const OPTIONAL_FLAG: Field = { type: 'boolean', required: false };
const TEXT: Field = { type: 'text', required: true };
const VISIBILITY: Field = {
  type: 'word',
  words: ['public', 'private', 'internal'],
  required: false,
};

export async function startFurnished(settings: Record<string, string> = {}): Promise<Furnished> {
  const service = await startService({ ...UNSENT_MAIL, ...settings });
  const [ada, alan, , stranger] = await Promise.all(
    ['ada', 'alan', 'grace', 'stranger'].map((name) => service.user(name)),
  );
  if (!ada || !alan || !stranger) throw new Error('unreachable');
  await verify(service, 'ada');
  await ada.post('/user/orgs', { namespace: 'engines', name: 'Engines' });
  await ada.put('/orgs/engines/members/alan', {});

  const deleted = await ada.post('/user/briefs', { content: '# Deleted', name: 'deleted' });
  await ada.delete('/briefs/ada/deleted');

  const routes: BodyRoute[] = [];
  for (const { segment, contentField } of Object.values(KINDS)) {
    const create = { [contentField]: '# Notes', name: 'notes', visibility: 'private' };
    await ada.post(`/user/${segment}`, create);
    const { data } = await ada.put(`/${segment}/ada/notes/collaborators/alan`, {
      permission: 'read',
    });
    const fields = { name: OPTIONAL_TEXT, visibility: VISIBILITY };
    const resolves: Field = { type: 'array', required: false };
    const writing = {
      baseRevision: OPTIONAL_INTEGER,
      documentId: OPTIONAL_TEXT,
      message: OPTIONAL_TEXT,
      resolves,
    };
    const changing = {
      [contentField]: OPTIONAL_TEXT,
      ...fields,
      baseRevision: OPTIONAL_INTEGER,
      revision: OPTIONAL_INTEGER,
      documentId: OPTIONAL_TEXT,
      message: OPTIONAL_TEXT,
      resolves,
    };
    const shown = {
      revision: OPTIONAL_INTEGER,
      expected: { type: 'array', required: false },
    } as const;
    const thread = (await ada.post(`/${segment}/ada/notes/threads`, { body: 'Why?' })).data;
    const comment = thread.comments[0].id;
    const creating = {
      method: 'POST',
      caller: ada,
      fields: { [contentField]: TEXT, ...fields },
      valid: { [contentField]: '# Another', name: 'another', visibility: 'private' },
      emptyAllowed: false,
    } as const;
    const sharing = {
      caller: ada,
      fields: { permission: PERMISSION },
      valid: { permission: 'write' },
      emptyAllowed: false,
    };
    routes.push(
      { ...creating, template: `/user/${segment}`, path: `/user/${segment}` },
      { ...creating, template: `/${segment}`, path: `/${segment}` },
      { ...creating, template: `/users/{username}/${segment}`, path: `/users/ada/${segment}` },
      { ...creating, template: `/orgs/{org}/${segment}`, path: `/orgs/engines/${segment}` },
      {
        ...creating,
        method: 'PATCH',
        template: `/${segment}/{owner}/{name}`,
        path: `/${segment}/ada/notes`,
        fields: changing,
      },
      {
        method: 'POST',
        template: `/${segment}/{owner}/{name}/edits`,
        path: `/${segment}/ada/notes/edits`,
        caller: ada,
        fields: {
          edits: { type: 'array', required: true },
          dryRun: { type: 'boolean', required: false },
          propose: { type: 'boolean', required: false },
          ...writing,
        },
        valid: { edits: [{ op: 'append', content: 'x' }] },
        emptyAllowed: false,
      },
      {
        method: 'POST',
        template: `/${segment}/{owner}/{name}/revisions/{number}/restore`,
        path: `/${segment}/ada/notes/revisions/1/restore`,
        caller: ada,
        fields: { message: OPTIONAL_TEXT, revision: OPTIONAL_INTEGER },
        valid: { message: 'Back' },
        emptyAllowed: true,
      },
      {
        method: 'PATCH',
        template: `/${segment}/{owner}/{name}/revisions/{number}`,
        path: `/${segment}/ada/notes/revisions/1`,
        caller: ada,
        fields: { pinned: { type: 'boolean', required: true } },
        valid: { pinned: true },
        emptyAllowed: false,
      },
      {
        method: 'POST',
        template: `/${segment}/{owner}/{name}/threads`,
        path: `/${segment}/ada/notes/threads`,
        caller: ada,
        fields: {
          body: OPTIONAL_TEXT,
          on: OPTIONAL_OBJECT,
          replacement: OPTIONAL_TEXT,
          assignee: OPTIONAL_TEXT,
        },
        valid: { body: 'Why?', on: { quote: 'Notes' }, replacement: 'Note', assignee: 'ada' },
        emptyAllowed: false,
      },
      {
        method: 'PATCH',
        template: `/${segment}/{owner}/{name}/threads/{thread}`,
        path: `/${segment}/ada/notes/threads/${thread.id}`,
        caller: ada,
        fields: {
          state: { type: 'word', words: ['open', 'resolved'], required: false },
          on: OPTIONAL_OBJECT,
        },
        valid: { state: 'resolved' },
        emptyAllowed: false,
      },
      {
        method: 'POST',
        template: `/${segment}/{owner}/{name}/threads/{thread}/comments`,
        path: `/${segment}/ada/notes/threads/${thread.id}/comments`,
        caller: ada,
        fields: { body: TEXT },
        valid: { body: 'Because.' },
        emptyAllowed: false,
      },
      {
        method: 'PATCH',
        template: `/${segment}/{owner}/{name}/threads/{thread}/comments/{comment}`,
        path: `/${segment}/ada/notes/threads/${thread.id}/comments/${comment}`,
        caller: ada,
        fields: { body: TEXT },
        valid: { body: 'Because.' },
        emptyAllowed: false,
      },
      {
        method: 'POST',
        template: `/${segment}/{owner}/{name}/suggestions/accept`,
        path: `/${segment}/ada/notes/suggestions/accept`,
        caller: ada,
        fields: {
          threads: { type: 'array', required: true },
          message: OPTIONAL_TEXT,
          ...shown,
        },
        valid: { threads: [thread.id], message: 'Better' },
        emptyAllowed: false,
      },
      {
        method: 'POST',
        template: `/${segment}/{owner}/{name}/suggestions/reject`,
        path: `/${segment}/ada/notes/suggestions/reject`,
        caller: ada,
        fields: { threads: { type: 'array', required: true }, ...shown },
        valid: { threads: [thread.id] },
        emptyAllowed: false,
      },
      {
        method: 'POST',
        template: `/${segment}/{owner}/{name}/reviews`,
        path: `/${segment}/ada/notes/reviews`,
        caller: ada,
        fields: {
          verdict: { type: 'word', words: ['approved', 'changes_requested'], required: true },
          revision: { type: 'integer', required: true },
          body: OPTIONAL_TEXT,
        },
        valid: { verdict: 'approved', revision: 1, body: 'Good.' },
        emptyAllowed: false,
      },
      {
        method: 'PUT',
        template: `/${segment}/{owner}/{name}/reviewers/{username}`,
        path: `/${segment}/ada/notes/reviewers/ada`,
        caller: ada,
        fields: { note: OPTIONAL_TEXT },
        valid: { note: 'Please.' },
        emptyAllowed: true,
      },
      {
        method: 'PATCH',
        template: `/${segment}/{owner}/{name}/review-settings`,
        path: `/${segment}/ada/notes/review-settings`,
        caller: ada,
        fields: {
          comments: { type: 'word', words: ['insiders', 'readers', 'off'], required: false },
          protected: { type: 'boolean', required: false },
          twoPeople: { type: 'boolean', required: false },
          threadsSince: { type: 'time', required: false },
        },
        valid: { comments: 'readers', protected: false },
        emptyAllowed: false,
      },
      {
        method: 'PUT',
        template: `/${segment}/{owner}/{name}/subscription`,
        path: `/${segment}/ada/notes/subscription`,
        caller: ada,
        fields: { level: { type: 'word', words: ['all', 'mentions', 'none'], required: true } },
        valid: { level: 'all' },
        emptyAllowed: false,
      },
      {
        ...sharing,
        method: 'PUT',
        template: `/${segment}/{owner}/{name}/collaborators/{username}`,
        path: `/${segment}/ada/notes/collaborators/grace`,
      },
      {
        ...sharing,
        method: 'PATCH',
        template: `/${segment}/{owner}/{name}/invitations/{inviteId}`,
        path: `/${segment}/ada/notes/invitations/${data.id}`,
      },
      {
        method: 'PUT',
        template: `/${segment}/{owner}/{name}/labels`,
        path: `/${segment}/ada/notes/labels`,
        caller: ada,
        fields: { labels: { type: 'array', required: true } },
        valid: { labels: ['draft'] },
        emptyAllowed: false,
      },
      {
        method: 'POST',
        template: `/${segment}/{owner}/{name}/email_invitations`,
        path: `/${segment}/ada/notes/email_invitations`,
        caller: ada,
        fields: {
          email: TEXT,
          permission: PERMISSION,
        },
        valid: { email: 'hopper@example.net', permission: 'read' },
        emptyAllowed: false,
      },
      {
        method: 'POST',
        template: `/${segment}/{owner}/{name}/move`,
        path: `/${segment}/ada/notes/move`,
        caller: ada,
        fields: {
          owner: TEXT,
          name: OPTIONAL_TEXT,
          visibility: { type: 'word', words: ['private'], required: false },
        },
        valid: { owner: 'engines' },
        emptyAllowed: false,
      },
      {
        method: 'POST',
        template: `/${segment}/{owner}/{name}/links`,
        path: `/${segment}/ada/notes/links`,
        caller: ada,
        fields: {
          access: { type: 'word', words: ['read', 'comment'], required: true },
          expiresAt: OPTIONAL_TEXT,
          note: OPTIONAL_TEXT,
        },
        valid: { access: 'read' },
        emptyAllowed: false,
      },
    );
  }
  for (const [template, path] of [
    ['/user/webhooks', '/user/webhooks'],
    ['/orgs/{org}/webhooks', '/orgs/engines/webhooks'],
  ] as const) {
    const valid = { url: 'https://example.com/hook', types: ['revision.created'] };
    const { id } = (await ada.post(path, valid)).data;
    routes.push(
      {
        method: 'POST',
        template,
        path,
        caller: ada,
        valid,
        emptyAllowed: false,
        fields: { url: TEXT, types: { type: 'array', required: true } },
      },
      {
        method: 'PATCH',
        template: `${template}/{id}`,
        path: `${path}/${id}`,
        caller: ada,
        valid: { ...valid, enabled: true, rotateSecret: false },
        emptyAllowed: false,
        fields: {
          url: OPTIONAL_TEXT,
          types: { type: 'array', required: false },
          enabled: OPTIONAL_FLAG,
          rotateSecret: OPTIONAL_FLAG,
        },
      },
    );
  }
  routes.push(
    {
      method: 'POST',
      template: '/user/orgs',
      path: '/user/orgs',
      caller: ada,
      fields: { namespace: TEXT, name: TEXT },
      valid: { namespace: 'looms', name: 'Looms' },
      emptyAllowed: false,
    },
    {
      method: 'PATCH',
      template: '/orgs/{org}',
      path: '/orgs/engines',
      caller: ada,
      fields: {
        membersCanCreate: { type: 'boolean', required: false },
        defaultBriefPermission: {
          type: 'word',
          words: ['none', 'read', 'write'],
          required: false,
        },
      },
      valid: { membersCanCreate: false, defaultBriefPermission: 'write' },
      emptyAllowed: false,
    },
    {
      method: 'PUT',
      template: '/orgs/{org}/members/{username}',
      path: '/orgs/engines/members/grace',
      caller: ada,
      fields: { role: { type: 'word', words: ['admin', 'member'], required: false } },
      valid: { role: 'admin' },
      emptyAllowed: true,
    },
    {
      method: 'POST',
      template: '/orgs/{org}/email_invitations',
      path: '/orgs/engines/email_invitations',
      caller: ada,
      fields: {
        email: TEXT,
        role: { type: 'word', words: ['admin', 'member'], required: false },
      },
      valid: { email: 'hopper@example.net' },
      emptyAllowed: false,
    },
    {
      method: 'PATCH',
      template: '/user/memberships/orgs/{org}',
      path: '/user/memberships/orgs/engines',
      caller: alan,
      fields: { state: { type: 'word', words: ['active'], required: true } },
      valid: { state: 'active' },
      emptyAllowed: false,
    },
    {
      method: 'PATCH',
      template: '/user/profile',
      path: '/user/profile',
      caller: ada,
      fields: { displayName: OPTIONAL_TEXT, summary: OPTIONAL_TEXT },
      valid: { displayName: 'Ada Lovelace', summary: 'Writes.' },
      emptyAllowed: false,
    },
    {
      method: 'PATCH',
      template: '/orgs/{org}/profile',
      path: '/orgs/engines/profile',
      caller: ada,
      fields: { summary: OPTIONAL_TEXT },
      valid: { summary: 'We build.' },
      emptyAllowed: false,
    },
    {
      method: 'PATCH',
      template: '/orgs/{org}/protection',
      path: '/orgs/engines/protection',
      caller: ada,
      fields: {
        protected: { type: 'boolean', required: false },
        twoPeople: { type: 'boolean', required: false },
      },
      valid: { protected: true },
      emptyAllowed: false,
    },
    {
      method: 'PATCH',
      template: '/user/inbox',
      path: '/user/inbox',
      caller: ada,
      fields: { readTo: { type: 'integer', required: true } },
      valid: { readTo: 1 },
      emptyAllowed: false,
    },
    {
      method: 'POST',
      template: '/trash/{id}/restore',
      path: `/trash/${deleted.data.id}/restore`,
      caller: ada,
      fields: { name: OPTIONAL_TEXT },
      valid: { name: 'restored' },
      emptyAllowed: true,
    },
  );
  return { service, routes, ada, stranger };
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
