import { strict as assert } from 'node:assert';
import { KINDS, type Kind } from '../../../src/base/schema/kind.ts';
import type { Answer } from '../../harness.ts';
import { type Rank, statusOf } from '../../rest/access-model.ts';
import type { Permission, Role, Visibility } from '../../rest/scenario.ts';
import {
  type DocumentState,
  endMembership,
  endOffers,
  findDocument,
  hideThreads,
  type Invitation,
  isExpired,
  isInsider,
  isLastAdmin,
  isOpen,
  isReserved,
  isTaken,
  type Model,
  type OrganizationState,
  type Reference,
  rank,
  removeOrganization,
  removeUser,
  restorable,
} from './model.ts';
import {
  assertStatus,
  browserOf,
  forgetToken,
  goneReferences,
  type Person,
  pathOf,
  renewToken,
  signUp,
  type World,
} from './world.ts';

/** Random choices for an operation; each number selects from existing things. */
export interface Choice {
  operation: OperationName;
  /** Whether to choose a caller with permission, if there is one. */
  able: boolean;
  caller: number;
  thing: number;
  target: number;
  value: number;
  other: number;
}

/** The model's expected result of a request by a caller with a valid token. */
interface Outcome {
  status: number;
  /** After success: checks the response, and updates the model. */
  effect?: (answer: Answer) => void;
}

/** A request to the API. */
interface Deed extends Outcome {
  /** No specific caller if absent. */
  caller: Person | undefined;
  method: string;
  path: string;
  body?: object;
  headers?: Record<string, string>;
}

/** An action outside the API. */
interface Event {
  what: string;
  /** 200 if absent: it always succeeds. */
  status?: number;
  happen: () => Promise<void> | void;
}

/** `undefined` if there is no target. */
type Operation = (world: World, choice: Choice) => Deed | Event | undefined;

const KIND_NAMES = Object.keys(KINDS) as Kind[];
const PERMISSIONS: Permission[] = ['read', 'write', 'admin'];
const ROLES: Role[] = ['member', 'admin'];
const DEFAULTS: OrganizationState['defaultBriefPermission'][] = ['none', 'read', 'write'];
const VISIBILITIES: Visibility[] = ['private', 'public', 'internal'];
const DAY_MS = 24 * 60 * 60_000;

/** Their sums never equal the seven days of an invitation, because real time passes too. */
const LEAPS_MS = [3 * DAY_MS, 5 * DAY_MS];

/** Names as given, and as stored. */
const NAMES = [
  ['plan', 'plan'],
  ['Notes', 'notes'],
  ['Two words', 'two-words'],
] as const;

const NO_ID = '019a5c2e-7b1a-7c3d-9e4f-8a6b5c4d3e2f';

/** One in eight, by a number of a {@link Choice}. */
const rarely = (number: number) => number % 8 === 7;

function choose<T>(list: readonly T[], number: number): T {
  return list[number % list.length] as T;
}

/** A matching document; sometimes, or if there is none, a name without a document. */
function referenceFor(
  world: World,
  number: number,
  isFit: (document: DocumentState) => boolean = () => true,
): Reference {
  const at = Math.floor(number / 8);
  const found = rarely(number) ? [] : world.model.documents.filter(isFit);
  if (found.length > 0) return choose(found, at);
  const owner = world.people[0]?.username ?? '';
  return choose([...goneReferences(world), { kind: 'brief', owner, name: 'nothing' }], at);
}

/** Like {@link referenceFor}, the namespace of an organization. */
function organizationFor(
  { model, organizationNames }: World,
  number: number,
  isFit: (organization: OrganizationState) => boolean = () => true,
): string {
  const at = Math.floor(number / 8);
  const found = rarely(number) ? [] : [...model.organizations.values()].filter(isFit);
  if (found.length === 0) return choose(organizationNames, at);
  return choose(found, at).namespace;
}

function hasInvitations({ invitations }: { invitations: Map<string, unknown> }): boolean {
  return invitations.size > 0;
}

function callerFor(
  { model, people }: World,
  { able, caller }: Choice,
  isAble: (username: string) => boolean,
): Person | undefined {
  const working = people.filter((person) => person.tokenWorks && model.users.has(person.username));
  const found = able ? working.filter(({ username }) => isAble(username)) : [];
  return choose<Person | undefined>(found.length > 0 ? found : [...people, undefined], caller);
}

function personFor(
  { people }: World,
  { caller }: Choice,
  isFit: (person: Person) => boolean,
): Person | undefined {
  return choose<Person | undefined>(people.filter(isFit), caller);
}

/** Usually a person; sometimes an organization, or no one. */
function targetFor({ people, organizationNames }: World, number: number): string {
  const at = Math.floor(number / 8);
  if (!rarely(number)) return choose(people, at).username;
  return choose([...organizationNames, 'nobody'], at);
}

interface AboutDocument {
  document: DocumentState;
  caller: Person;
}

/** An operation on a document for callers of this level; `more` decides if the level suffices. */
function withDocument(
  world: World,
  choice: Choice,
  needed: Rank,
  deed: Pick<Deed, 'method' | 'body' | 'headers'> & { below?: string },
  more: (about: AboutDocument) => Outcome,
  reference = referenceFor(world, choice.thing),
): Deed {
  const { model } = world;
  const document = findDocument(model, reference);
  const rankOfUser = (username: string) => (document ? rank(model, username, document) : 0);
  const caller = callerFor(world, choice, (username) => rankOfUser(username) >= needed);
  const own = caller ? rankOfUser(caller.username) : 0;
  const { below = '', ...rest } = deed;
  const path = pathOf(reference) + below;
  if (!document || !caller || own === 0) return { ...rest, path, caller, status: 404 };
  if (own < needed) return { ...rest, path, caller, status: 403 };
  return { ...rest, path, caller, ...more({ document, caller }) };
}

/** An operation on a document in the trash for people who could delete it; 404 for others. */
function withTrashed(
  world: World,
  choice: Choice,
  deed: Pick<Deed, 'method' | 'body'> & { below?: string },
  more: (about: AboutDocument) => Outcome,
): Deed {
  const { model } = world;
  const found = rarely(choice.thing) ? [] : restorable(model);
  const document = found.length > 0 ? choose(found, Math.floor(choice.thing / 8)) : undefined;
  const isAble = (username: string) => !!document && rank(model, username, document) === 3;
  const caller = callerFor(world, choice, isAble);
  const { below = '', ...rest } = deed;
  const other = choose([NO_ID, ...model.documents.map(({ id }) => id)], choice.target);
  const path = `/trash/${document?.id ?? other}${below}`;
  if (!document || !caller || !isAble(caller.username))
    return { ...rest, path, caller, status: 404 };
  return { ...rest, path, caller, ...more({ document, caller }) };
}

/** An operation on an organization, for its admins. */
function asAdmin(
  world: World,
  choice: Choice,
  deed: Pick<Deed, 'method' | 'body'> & { below?: string },
  more: (organization: OrganizationState, caller: Person) => Outcome,
  namespace = organizationFor(world, choice.thing),
): Deed {
  const organization = world.model.organizations.get(namespace);
  const roleOf = (username: string) => organization?.members.get(username);
  const caller = callerFor(world, choice, (username) => roleOf(username) === 'admin');
  const { below = '', ...rest } = deed;
  const path = `/orgs/${namespace}${below}`;
  if (!organization) return { ...rest, path, caller, status: 404 };
  if (!caller || roleOf(caller.username) !== 'admin') return { ...rest, path, caller, status: 403 };
  return { ...rest, path, caller, ...more(organization, caller) };
}

/** The result of inviting someone who is not a member or collaborator. */
function inviting<Gives>(
  model: Model,
  invitations: Map<string, Invitation<Gives>>,
  target: string,
  { gives, by }: { gives: Gives; by: string },
): Outcome {
  const invitation = invitations.get(target);
  if (invitation && !isExpired(model, invitation)) return { status: 422 };
  return {
    status: 201,
    effect: ({ data }) => invitations.set(target, { id: data.id, gives, by, madeAt: model.now }),
  };
}

/** Any invitation to a document, with its document and invited user. */
function documentInvitations({ documents }: Model) {
  return documents.flatMap((document) =>
    Array.from(document.invitations, ([username, invitation]) => ({
      document,
      username,
      invitation,
    })),
  );
}

/** An invitation to be answered by its invited user; sometimes an old one. */
function answering(
  world: World,
  choice: Choice,
  method: string,
  outcome: (found: ReturnType<typeof documentInvitations>[number]) => Outcome,
): Deed | undefined {
  const all = documentInvitations(world.model);
  if (all.length === 0 && !rarely(choice.thing)) return undefined;
  const found = rarely(choice.thing) ? undefined : choose(all, choice.value);
  const id = found?.invitation.id ?? choose([NO_ID, ...world.formerInvitations], choice.value);
  const caller = callerFor(world, choice, (username) => username === found?.username);
  const path = `/user/brief_invitations/${id}`;
  if (!found || caller?.username !== found.username) return { caller, method, path, status: 404 };
  return { caller, method, path, ...outcome(found) };
}

/** An invitation's id; sometimes one of another document, or an old one. */
function invitationFor(
  world: World,
  choice: Choice,
  own: Iterable<Invitation<unknown>>,
): { id: string } {
  const elsewhere = [
    ...documentInvitations(world.model).map(({ invitation }) => invitation.id),
    ...[...world.model.organizations.values()].flatMap(({ invitations }) =>
      Array.from(invitations.values(), ({ id }) => id),
    ),
    ...world.formerInvitations,
    NO_ID,
  ];
  const ids = Array.from(own, ({ id }) => id);
  return { id: choose(rarely(choice.target) || ids.length === 0 ? elsewhere : ids, choice.value) };
}

/** The invited user with this id, among these. */
function invitedWith<Gives>(invitations: Map<string, Invitation<Gives>>, id: string) {
  return [...invitations].find(([, invitation]) => invitation.id === id);
}

function textOf(kind: Kind, word: string): string {
  return kind === 'brief'
    ? `# ${word}\n\nAbout ${word}.\n`
    : `<!doctype html><title>${word}</title>`;
}

const OPERATIONS = {
  create(world, choice) {
    const { model, people, organizationNames } = world;
    const kind = choose(KIND_NAMES, choice.target);
    const { segment, contentField } = KINDS[kind];
    const owner = rarely(choice.caller)
      ? choose(organizationNames, choice.thing)
      : choose(
          [...model.organizations.keys(), ...people.map(({ username }) => username)],
          choice.thing,
        );
    const organization = model.organizations.get(owner);
    const caller = callerFor(
      world,
      choice,
      (username) => username === owner || !!organization?.members.has(username),
    );
    const asOrganization =
      !people.some(({ username }) => username === owner) !== rarely(choice.other);
    const isOwn = !asOrganization && caller?.username === owner;
    const ways = isOwn ? [`/user/${segment}`, `/${segment}`] : [];
    const way = `/${asOrganization ? 'orgs' : 'users'}/${owner}/${segment}`;
    const visibility = choose([undefined, ...VISIBILITIES, 'private' as const], choice.value);
    const word = world.newWord();
    const [given, kept] = choose([...NAMES, [undefined, word] as const], choice.other);
    const text = textOf(kind, word);
    const status = () => {
      if (asOrganization) {
        if (!organization) return 404;
        const role = caller && organization.members.get(caller.username);
        if (!role || (role === 'member' && !organization.membersCanCreate)) return 403;
      } else {
        if (!model.users.has(owner)) return 404;
        if (!isOwn) return 403;
        if (visibility === 'internal') return 400;
      }
      return findDocument(model, { kind, owner, name: kept }) ? 422 : 201;
    };
    return {
      caller,
      method: 'POST',
      path: choose([way, ...ways], choice.value),
      body: { [contentField]: text, name: given, visibility },
      status: status(),
      effect: ({ data }) => {
        assert.equal(data.name, kept);
        assert.equal(data.visibility, visibility ?? 'public');
        const creator = (caller as Person).username;
        model.documents.push({
          id: data.id,
          kind,
          owner,
          name: kept,
          text,
          madeBy: creator,
          version: 1,
          visibility: visibility ?? 'public',
          collaborators: new Map(organization ? [[creator, 'admin']] : []),
          invitations: new Map(),
          links: new Map(),
          comments: 'insiders',
          threads: [],
          hiddenThreads: 0,
          visibleSince: 1,
        });
      },
    };
  },

  change(world, choice) {
    const { model } = world;
    const fields = 1 + (choice.value % 7);
    const word = world.newWord();
    const [given, kept] = choose(NAMES, choice.target);
    const visibility = choose(VISIBILITIES, choice.other);
    const reference = referenceFor(world, choice.thing);
    const text = textOf(reference.kind, word);
    const body = {
      ...(fields & 1 && { [KINDS[reference.kind].contentField]: text }),
      ...(fields & 2 && { name: given }),
      ...(fields & 4 && { visibility }),
    };
    const headers = rarely(choice.other) ? { 'if-match': '"another"' } : {};
    const deed = { method: 'PATCH', body, headers };
    return withDocument(world, choice, fields & 4 ? 3 : 2, deed, ({ document, caller }) => {
      const { kind, owner } = document;
      const same = fields & 2 ? findDocument(model, { kind, owner, name: kept }) : document;
      if (fields & 4 && visibility === 'internal' && !model.organizations.has(owner)) {
        return { status: 400 };
      }
      if (rarely(choice.other)) return { status: 412 };
      if (same && same !== document) return { status: 422 };
      return {
        status: 200,
        effect: ({ data }) => {
          // Equal values are not written.
          const isSame =
            !(fields & 1) &&
            (!(fields & 2) || document.name === kept) &&
            (!(fields & 4) || document.visibility === visibility);
          if (!isSame) document.version++;
          if (fields & 1) document.text = text;
          if (fields & 2) document.name = kept;
          if (fields & 4 && document.visibility !== visibility) {
            document.visibility = visibility;
            document.visibleSince = document.version;
            if (visibility === 'public' && document.comments === 'readers') hideThreads(document);
          }
          assertDocument(data, document, rank(model, caller.username, document));
        },
      };
    });
  },

  move(world, choice) {
    const { model, people, organizationNames } = world;
    const owner = rarely(choice.target)
      ? choose(organizationNames, choice.other)
      : choose(
          [...model.organizations.keys(), ...people.map(({ username }) => username)],
          choice.target,
        );
    const [given, kept] = choose([...NAMES, [undefined, undefined] as const], choice.value);
    const visibility = choose([undefined, 'private'] as const, choice.other);
    const deed = { method: 'POST', below: '/move', body: { owner, name: given, visibility } };
    return withDocument(world, choice, 3, deed, ({ document, caller: { username } }) => {
      if (model.users.has(document.owner) && document.owner !== username) return { status: 403 };
      const organization = model.organizations.get(owner);
      const role = organization?.members.get(username);
      if (!isTaken(model, owner)) return { status: 404 };
      if (organization ? !role : owner !== username) return { status: 403 };
      if (role === 'member' && !organization?.membersCanCreate) return { status: 403 };
      const { kind } = document;
      const [name, becomes] = [kept ?? document.name, visibility ?? document.visibility];
      const isInternal = becomes === 'internal' && !organization;
      if (owner === document.owner || isInternal || findDocument(model, { kind, owner, name })) {
        return { status: 422 };
      }
      return {
        status: 200,
        effect: ({ data }) => {
          document.version++;
          if (document.visibility !== becomes) document.visibleSince = document.version;
          Object.assign(document, { owner, name, visibility: becomes });
          document.invitations.delete(username);
          if (organization) document.collaborators.set(username, 'admin');
          else document.collaborators.delete(username);
          assert.equal(data.id, document.id);
          assertDocument(data, document, rank(model, username, document));
        },
      };
    });
  },

  remove: (world, choice) =>
    withDocument(world, choice, 3, { method: 'DELETE' }, ({ document }) => ({
      status: statusOf('delete', 3),
      effect: () => {
        world.model.documents = world.model.documents.filter((other) => other !== document);
        document.invitations.clear();
        document.links.clear();
        world.model.trash.push({ document, deletedAt: world.model.now });
      },
    })),

  restore(world, choice) {
    const { model } = world;
    const [given, kept] = choose([...NAMES, [undefined, undefined] as const], choice.value);
    const deed = { method: 'POST', below: '/restore', body: { name: given } };
    return withTrashed(world, choice, deed, ({ document, caller }) => {
      const name = kept ?? document.name;
      if (findDocument(model, { ...document, name })) return { status: 422 };
      return {
        status: 200,
        effect: ({ data }) => {
          model.trash = model.trash.filter((each) => each.document !== document);
          if (document.name !== name) document.version++;
          document.name = name;
          // Lists are in the order of creation.
          model.documents.push(document);
          model.documents.sort((a, b) => (a.id < b.id ? -1 : 1));
          assert.equal(data.id, document.id);
          assertDocument(data, document, rank(model, caller.username, document));
        },
      };
    });
  },

  deleteForever: (world, choice) =>
    withTrashed(world, choice, { method: 'DELETE' }, ({ document }) => ({
      status: 204,
      effect: () => {
        const { model } = world;
        model.trash = model.trash.filter((each) => each.document !== document);
      },
    })),

  makeLink(world, choice) {
    const lifetimeMs = choose([undefined, ...LEAPS_MS], choice.value);
    const now = Date.parse(world.service.app.context.now());
    const expiresAt = lifetimeMs && new Date(now + lifetimeMs).toISOString();
    const access = rarely(choice.other) ? 'comment' : 'read';
    const deed = { method: 'POST', below: '/links', body: { access, expiresAt } };
    return withDocument(world, choice, 3, deed, ({ document, caller: { username: by } }) => {
      if (document.visibility === 'public') return { status: 422 };
      return {
        status: 201,
        effect: ({ data: { id, url } }) => {
          const { model } = world;
          const until = lifetimeMs && model.now + lifetimeMs;
          const active = [...document.links].filter(([link]) => isOpen(model, document, link));
          const forComments = active.filter(([, link]) => link.access === 'comment');
          const opens = access === 'comment' && forComments.length === 0;
          if (opens || (document.comments === 'readers' && active.length === 0)) {
            hideThreads(document);
          }
          document.links.set(id, { by, expiresAt: until || undefined, access });
          world.secretLinks.push({ id, url, document });
        },
      };
    });
  },

  revokeLink(world, choice) {
    const own = world.model.documents.filter(({ links }) => links.size > 0);
    const reference = referenceFor(world, choice.thing, (each) => own.includes(each));
    const document = findDocument(world.model, reference);
    const ids = [...(document?.links.keys() ?? [])];
    const elsewhere = [NO_ID, ...world.secretLinks.map(({ id }) => id)];
    const id = choose(rarely(choice.target) || ids.length === 0 ? elsewhere : ids, choice.value);
    const deed = { method: 'DELETE', below: `/links/${id}` };
    const more = ({ document }: AboutDocument) => {
      const link = document.links.get(id);
      if (!link) return { status: 404 };
      return { status: 204, effect: () => document.links.delete(id) };
    };
    return withDocument(world, choice, 3, deed, more, reference);
  },

  setComments(world, choice) {
    const comments = choose(['readers', 'readers', 'insiders', 'off'] as const, choice.value);
    const deed = { method: 'PATCH', below: '/review-settings', body: { comments } };
    // Mostly where there is something to hide.
    const reference = referenceFor(world, choice.thing, ({ threads }) => threads.length > 0);
    const more = ({ document }: AboutDocument) => ({
      status: 200,
      effect: () => {
        if (comments === 'readers' && document.comments !== comments) hideThreads(document);
        document.comments = comments;
      },
    });
    return withDocument(world, choice, 3, deed, more, reference);
  },

  comment(world, choice) {
    const body = world.newWord();
    const deed = { method: 'POST', below: '/threads', body: { body } };
    return withDocument(world, choice, 1, deed, ({ document, caller: { username } }) => {
      const { comments } = document;
      const isAllowed =
        comments === 'readers' ||
        (comments === 'insiders' && isInsider(world.model, username, document));
      if (!isAllowed) return { status: 403 };
      return {
        status: 201,
        effect: ({ data }) => document.threads.push({ id: data.id, by: username }),
      };
    });
  },

  putCollaborator(world, choice) {
    const { model } = world;
    const target = targetFor(world, choice.target);
    const permission = choose(PERMISSIONS, choice.value);
    const deed = { method: 'PUT', body: { permission }, below: `/collaborators/${target}` };
    return withDocument(world, choice, 3, deed, ({ document, caller: { username: by } }) => {
      if (!model.users.has(target)) return { status: 404 };
      if (document.owner === target) return { status: 422 };
      if (!document.collaborators.has(target)) {
        return inviting(model, document.invitations, target, { gives: permission, by });
      }
      return { status: 204, effect: () => document.collaborators.set(target, permission) };
    });
  },

  deleteCollaborator(world, choice) {
    const reference = referenceFor(
      world,
      choice.thing,
      ({ collaborators }) => collaborators.size > 0,
    );
    const document = findDocument(world.model, reference);
    const collaborators = [...(document?.collaborators.keys() ?? [])];
    const target =
      collaborators.length > 0 && !rarely(choice.target)
        ? choose(collaborators, choice.target)
        : targetFor(world, choice.target);
    const deed = { method: 'DELETE', below: `/collaborators/${target}` };
    return withDocument(
      world,
      choice,
      3,
      deed,
      () => ({
        status: document?.collaborators.has(target) ? 204 : 404,
        effect: () => document?.collaborators.delete(target),
      }),
      reference,
    );
  },

  changeInvitation(world, choice) {
    const permission = choose(PERMISSIONS, choice.other);
    const reference = referenceFor(world, choice.thing, hasInvitations);
    const document = findDocument(world.model, reference);
    const { id } = invitationFor(world, choice, document?.invitations.values() ?? []);
    const deed = { method: 'PATCH', body: { permission }, below: `/invitations/${id}` };
    return withDocument(
      world,
      choice,
      3,
      deed,
      ({ document }) => {
        const [, invitation] = invitedWith(document.invitations, id) ?? [];
        if (!invitation) return { status: 404 };
        return {
          status: 200,
          effect: ({ data }) => {
            assert.deepEqual(data, { id, permission });
            invitation.gives = permission;
          },
        };
      },
      reference,
    );
  },

  cancelInvitation(world, choice) {
    const reference = referenceFor(world, choice.thing, hasInvitations);
    const document = findDocument(world.model, reference);
    const { id } = invitationFor(world, choice, document?.invitations.values() ?? []);
    const deed = { method: 'DELETE', below: `/invitations/${id}` };
    return withDocument(
      world,
      choice,
      3,
      deed,
      ({ document }) => {
        const [invited] = invitedWith(document.invitations, id) ?? [];
        if (invited === undefined) return { status: 404 };
        return { status: 204, effect: () => document.invitations.delete(invited) };
      },
      reference,
    );
  },

  accept: (world, choice) =>
    answering(world, choice, 'PATCH', ({ document, username, invitation }) => {
      if (isExpired(world.model, invitation)) return { status: 422 };
      return {
        status: 204,
        effect: () => {
          document.invitations.delete(username);
          document.collaborators.set(username, invitation.gives);
        },
      };
    }),

  decline: (world, choice) =>
    answering(world, choice, 'DELETE', ({ document, username }) => ({
      status: 204,
      effect: () => document.invitations.delete(username),
    })),

  createOrganization(world, choice) {
    const { model, people, organizationNames } = world;
    const namespace = rarely(choice.thing)
      ? choose(people, choice.target).username
      : choose(organizationNames, choice.target);
    const caller = callerFor(world, choice, () => true);
    return {
      caller,
      method: 'POST',
      path: '/user/orgs',
      body: { namespace, name: namespace },
      status: isTaken(model, namespace) || isReserved(model, namespace) ? 422 : 201,
      effect: () => {
        model.organizations.set(namespace, {
          namespace,
          members: new Map([[(caller as Person).username, 'admin']]),
          invitations: new Map(),
          membersCanCreate: true,
          defaultBriefPermission: 'read',
        });
      },
    };
  },

  configureOrganization(world, choice) {
    const settings = choose(
      [
        { membersCanCreate: choice.other % 2 === 0 },
        { defaultBriefPermission: choose(DEFAULTS, choice.other) },
      ],
      choice.value,
    );
    return asAdmin(world, choice, { method: 'PATCH', body: settings }, (organization) => ({
      status: 200,
      effect: ({ data }) => {
        Object.assign(organization, settings);
        const { membersCanCreate, defaultBriefPermission } = organization;
        assert.equal(data.membersCanCreate, membersCanCreate);
        assert.equal(data.defaultBriefPermission, defaultBriefPermission);
      },
    }));
  },

  putMember(world, choice) {
    const { model } = world;
    const target = targetFor(world, choice.target);
    const role = choose(ROLES, choice.value);
    const deed = { method: 'PUT', body: { role }, below: `/members/${target}` };
    return asAdmin(world, choice, deed, (organization, { username: by }) => {
      const { members, invitations } = organization;
      if (!model.users.has(target)) return { status: 404 };
      if (!members.has(target)) return inviting(model, invitations, target, { gives: role, by });
      if (role === 'member' && isLastAdmin(organization, target)) return { status: 422 };
      return { status: 204, effect: () => members.set(target, role) };
    });
  },

  deleteMember(world, choice) {
    const target = targetFor(world, choice.target);
    const deed = { method: 'DELETE', below: `/members/${target}` };
    return asAdmin(world, choice, deed, (organization) => {
      if (!organization.members.has(target)) return { status: 404 };
      if (isLastAdmin(organization, target)) return { status: 422 };
      return { status: 204, effect: () => endMembership(world.model, organization, target) };
    });
  },

  cancelOrganizationInvitation(world, choice) {
    const namespace = organizationFor(world, choice.thing, hasInvitations);
    const organization = world.model.organizations.get(namespace);
    const { id } = invitationFor(world, choice, organization?.invitations.values() ?? []);
    const deed = { method: 'DELETE', below: `/invitations/${id}` };
    return asAdmin(
      world,
      choice,
      deed,
      ({ invitations }) => {
        const [invited] = invitedWith(invitations, id) ?? [];
        if (invited === undefined) return { status: 404 };
        return { status: 204, effect: () => invitations.delete(invited) };
      },
      namespace,
    );
  },

  acceptMembership(world, choice) {
    const { model } = world;
    const namespace = organizationFor(world, choice.thing, hasInvitations);
    const organization = model.organizations.get(namespace);
    const isInvited = (username: string) => !!organization?.invitations.has(username);
    const caller = callerFor(world, choice, isInvited);
    const path = `/user/memberships/orgs/${namespace}`;
    const deed = { caller, method: 'PATCH', path, body: { state: 'active' } };
    const username = caller?.username ?? '';
    const invitation = organization?.invitations.get(username);
    if (!organization || !invitation) return { ...deed, status: 404 };
    if (isExpired(model, invitation)) return { ...deed, status: 422 };
    return {
      ...deed,
      status: 200,
      effect: ({ data }) => {
        organization.invitations.delete(username);
        organization.members.set(username, invitation.gives);
        assert.deepEqual([data.state, data.role], ['active', invitation.gives]);
      },
    };
  },

  leave(world, choice) {
    const namespace = organizationFor(world, choice.thing);
    const organization = world.model.organizations.get(namespace);
    const hasPart = (username: string) =>
      !!organization?.members.has(username) || !!organization?.invitations.has(username);
    const caller = callerFor(world, choice, hasPart);
    const username = caller?.username ?? '';
    const deed = { caller, method: 'DELETE', path: `/user/memberships/orgs/${namespace}` };
    if (!organization || !hasPart(username)) return { ...deed, status: 404 };
    if (!organization.members.has(username)) {
      return { ...deed, status: 204, effect: () => organization.invitations.delete(username) };
    }
    if (isLastAdmin(organization, username)) return { ...deed, status: 422 };
    return {
      ...deed,
      status: 204,
      effect: () => endMembership(world.model, organization, username),
    };
  },

  deleteOrganization: (world, choice) =>
    asAdmin(world, choice, { method: 'DELETE' }, ({ namespace }) => ({
      status: 204,
      effect: () => removeOrganization(world.model, namespace),
    })),

  wait({ model, service }, choice) {
    const ms = choose(LEAPS_MS, choice.value);
    const happen = () => {
      model.now += ms;
      service.advance(ms);
    };
    return { what: `${ms / DAY_MS} days pass`, happen };
  },

  deleteAccount(world, choice) {
    const { model } = world;
    const person = personFor(world, choice, ({ username }) => model.users.has(username));
    if (!person) return undefined;
    const { username } = person;
    const isNeeded = [...model.organizations.values()].some((each) => isLastAdmin(each, username));
    const status = isNeeded ? 422 : 303;
    const happen = async () => {
      const browser = await browserOf(world, person);
      const form: [string, string][] = [
        ['confirmation', username],
        ['password', ''],
      ];
      const url = `${world.service.webUrl}/settings/account/delete`;
      // In a new browser, because this one is signed out.
      const other = await browserOf(world, person);
      assertStatus(await browser.submit(url, form), status, url);
      if (isNeeded) return;
      removeUser(model, username);
      forgetToken(person);
      person.formerVisitors.push(other);
    };
    return { what: `${username} deletes the account`, status, happen };
  },

  signUp(world, choice) {
    const { model } = world;
    const person = personFor(world, choice, ({ username }) => !isTaken(model, username));
    if (!person) return undefined;
    const { username } = person;
    return { what: `${username} signs up again`, happen: () => signUp(world, person) };
  },

  revokeToken(world, choice) {
    const person = personFor(world, choice, ({ tokenWorks }) => tokenWorks);
    if (!person) return undefined;
    const happen = async () => {
      const browser = await browserOf(world, person);
      const tokens = `${world.service.webUrl}/settings/tokens`;
      const { text } = await browser.get(tokens);
      const [path] = /\/settings\/tokens\/[^/"]+\/revoke/.exec(text) ?? [];
      assertStatus(await browser.submit(world.service.webUrl + path, []), 303, `POST ${path}`);
      forgetToken(person);
    };
    return { what: `${person.username} revokes the token`, happen };
  },

  renewToken(world, choice) {
    const person = personFor(
      world,
      choice,
      ({ username, tokenWorks }) => !tokenWorks && world.model.users.has(username),
    );
    if (!person) return undefined;
    const happen = () => renewToken(world, person);
    return { what: `${person.username} gets another token`, happen };
  },
} satisfies Record<string, Operation>;

export type OperationName = keyof typeof OPERATIONS;

/** The frequency of each operation. */
export const WEIGHTS: Record<OperationName, number> = {
  create: 20,
  change: 8,
  move: 8,
  remove: 4,
  restore: 4,
  deleteForever: 1,
  makeLink: 8,
  revokeLink: 3,
  setComments: 10,
  comment: 15,
  putCollaborator: 10,
  deleteCollaborator: 4,
  changeInvitation: 2,
  cancelInvitation: 2,
  accept: 9,
  decline: 2,
  createOrganization: 6,
  configureOrganization: 3,
  putMember: 9,
  deleteMember: 3,
  cancelOrganizationInvitation: 2,
  acceptMembership: 8,
  leave: 2,
  deleteOrganization: 2,
  wait: 2,
  deleteAccount: 1,
  signUp: 3,
  revokeToken: 1,
  renewToken: 3,
};

/**
 * Does an operation to the service and the model alike.
 *
 * @returns the status that it came to; `undefined` where there was nothing to do it with
 * @throws AssertionError where service and model differ
 */
export async function perform(world: World, choice: Choice): Promise<number | undefined> {
  const operation: Operation = OPERATIONS[choice.operation];
  const deed = operation(world, choice);
  if (!deed) return undefined;
  const before = traces(world.model);
  const status = await ('happen' in deed ? happen(world, deed) : request(world, deed));
  endOffers(world.model);
  const after = traces(world.model);
  for (const [key, reference] of before.references) {
    if (!after.references.has(key)) world.formerReferences.push(reference);
  }
  for (const id of before.invitations) {
    if (!after.invitations.has(id)) world.formerInvitations.push(id);
  }
  return status;
}

async function happen({ log }: World, { what, status = 200, happen }: Event): Promise<number> {
  log.push(`${what} → ${status}`);
  await happen();
  return status;
}

async function request({ service, log }: World, deed: Deed): Promise<number> {
  const { caller, method, path, body, headers, effect } = deed;
  const status = caller?.tokenWorks ? deed.status : 401;
  const sent = body ? ` ${JSON.stringify(body)}` : '';
  const what = `${caller?.username ?? 'nobody'} ${method} ${path}${sent}`;
  log.push(`${what} → ${status}`);
  const client = caller?.client ?? service.client();
  const answer = await client.request(path, {
    method,
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  assertStatus(answer, status, what);
  if (status < 300) effect?.(answer);
  return status;
}

/** The names of all documents and the ids of all invitations. */
function traces(model: Model) {
  const references = model.documents.map(({ id, kind, owner, name }) => ({
    id,
    kind,
    owner,
    name,
  }));
  const ofDocuments = documentInvitations(model).map(({ invitation }) => invitation.id);
  const ofOrganizations = [...model.organizations.values()].flatMap(({ invitations }) =>
    Array.from(invitations.values(), ({ id }) => id),
  );
  return {
    references: new Map(references.map((reference) => [pathOf(reference), reference])),
    invitations: new Set([...ofDocuments, ...ofOrganizations]),
  };
}

/** Asserts that a response shows a document as someone of this level sees it. */
export function assertDocument(
  // biome-ignore lint/suspicious/noExplicitAny: an answer
  data: any,
  { kind, owner, name, visibility, text }: DocumentState,
  rank: Rank,
): void {
  const { contentField } = KINDS[kind];
  assert.deepEqual(
    [data.ownerNamespace, data.name, data.visibility, data[contentField], data.permissions],
    [owner, name, visibility, text, permissionsOf(rank)],
  );
}

/** The permissions shown to someone of this level. */
export function permissionsOf(rank: Rank) {
  return { admin: rank >= 3, write: rank >= 2, read: rank >= 1 };
}
