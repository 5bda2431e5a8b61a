import SCIMMY from 'scimmy';
import type { ErrorRenderer } from '../../surfaces/http/surface.ts';
import type { DirectoryPerson } from './scim-service.ts';
import type { DirectoryRow, Wanted } from './scim-store.ts';

/** The type of what this protocol sends (RFC 7644, section 3.1). */
export const SCIM_TYPE = 'application/scim+json';

/** The most users in one answer. */
export const MOST_USERS = 200;

const { Config, Messages, Resources, Schemas, Types } = SCIMMY;

/** Describes what the service can (RFC 7644, section 4), by the last part of the path. */
export function describeScim(base: string) {
  // Entra sends paths of the extension, which change nothing here.
  if (!Resources.declared('User')) {
    Resources.declare(Resources.User).extend(Schemas.EnterpriseUser, false);
  }
  const described = [
    Resources.User,
    Resources.ServiceProviderConfig,
    Resources.ResourceType,
    Resources.Schema,
  ];
  for (const resource of described) resource.basepath(base);
  Config.set({
    patch: true,
    filter: { supported: true, maxResults: MOST_USERS },
    authenticationSchemes: [
      { type: 'oauthbearertoken', name: 'Bearer token', description: 'The setting SCIM_TOKEN.' },
    ],
  });
  return {
    ServiceProviderConfig: () => new Resources.ServiceProviderConfig().read(),
    ResourceTypes: (id?: string) => new Resources.ResourceType(id).read(),
    Schemas: (id?: string) => new Resources.Schema(id).read(),
  };
}

/** What a request can say about the attributes of an answer (RFC 7644, section 3.9). */
export interface Shown {
  attributes?: string | undefined;
  excludedAttributes?: string | undefined;
}

/** Returns what makes users as they are sent, with the attributes that are asked for. @throws SCIMError */
export function presenter(base: string, { attributes, excludedAttributes = '' }: Shown) {
  const names = (attributes || excludedAttributes).replaceAll(`${Schemas.User.id}:`, '');
  requireQuick(names, 'invalidValue');
  const [list, presence] = attributes ? [`${names},schemas`, 'pr'] : [names, 'np'];
  const conditions = list.split(',').map((name) => `${name} ${presence}`);
  const filter = names ? typed(() => new Types.Filter(conditions.join(' and '))) : undefined;
  return (row: DirectoryRow) => presentUser(row, base, filter);
}

function presentUser(row: DirectoryRow, base: string, filter?: InstanceType<typeof Types.Filter>) {
  const created = new Date(row.createdAt);
  const user = {
    id: row.id,
    userName: row.scimUserName ?? row.email,
    displayName: row.username,
    active: row.disabledAt === null,
    emails: [{ value: row.email, type: 'work', primary: true }],
    meta: { created, lastModified: created },
    ...(row.externalId !== null && { externalId: row.externalId }),
  };
  return new Schemas.User(user, 'out', `${base}/Users`, filter);
}

export function presentList(users: readonly object[], total: number, startIndex: number) {
  return {
    schemas: [Messages.ListResponse.id],
    totalResults: total,
    startIndex,
    itemsPerPage: users.length,
    Resources: users,
  };
}

/** What a filter can name, in lowercase. */
const FILTERED = new Map<string | undefined, Wanted['field']>([
  ['id', 'id'],
  ['username', 'userName'],
  ['externalid', 'externalId'],
  ['emails', 'email'],
]);

/** The longest filter or path. */
const MAX_LENGTH = 1_000;

/** For each of these, the library takes twice as long. */
const DOUBLING = /\\|\n|\bor\b/gi;
const MOST_DOUBLING = 8;

/** @throws SCIMError for a filter or path that would take long */
function requireQuick(text: string, type: 'invalidFilter' | 'invalidPath' | 'invalidValue'): void {
  const doubling = text.match(DOUBLING)?.length ?? 0;
  if (text.length <= MAX_LENGTH && doubling <= MOST_DOUBLING) return;
  const problem = `At most ${MAX_LENGTH} characters, and ${MOST_DOUBLING} times “or” or “\\”.`;
  throw new Types.Error(400, type, problem);
}

/** Reads a filter with one comparison, which is what directories send. @throws SCIMError */
export function readFilter(text: string | undefined): Wanted | undefined {
  if (text === undefined || text === '') return undefined;
  requireQuick(text, 'invalidFilter');
  const conditions: object[] = [...typed(() => new Types.Filter(text))];
  const [[name, condition] = [], ...more] = conditions.flatMap((one) => Object.entries(one));
  const field = FILTERED.get(name?.split(':').at(-1)?.toLowerCase());
  const [operator, value] = (field === 'email' ? condition.value : condition) ?? [];
  const isEqual = String(operator).toLowerCase() === 'eq' && typeof value === 'string';
  if (field && isEqual && more.length === 0) return { field, value };
  const problem = 'Only one “eq” is supported: userName, externalId, id or emails.value.';
  throw new Types.Error(400, 'invalidFilter', problem);
}

/** Reads a user that a directory sends. @throws SCIMError */
export function readUser(body: unknown): DirectoryPerson {
  return asPerson(typed(() => new Schemas.User(body as object, 'in')));
}

/** Applies a change to a user. @returns what they are then @throws SCIMError */
export async function patchUser(
  row: DirectoryRow,
  base: string,
  body: unknown,
): Promise<DirectoryPerson> {
  const before = presentUser(row, base);
  const patch = typed(() => new Messages.PatchOp(withBooleans(body) as never));
  let after: object = before;
  await patch.apply(before as never, async (changed: object) => {
    after = changed;
    return changed as never;
  });
  const { active, ...names } = asPerson(after);
  const isActive = row.disabledAt === null;
  // What doesn't change it must not undo what another request does meanwhile.
  return { ...names, active: active === isActive ? undefined : active };
}

/** Entra sends `"False"` for `active`, unless it is told not to. @throws SCIMError for a long path */
function withBooleans(body: unknown): unknown {
  const text = JSON.stringify(body, function (this: { path?: unknown }, key, value: unknown) {
    requireQuick(key === 'path' ? String(value) : key, 'invalidPath');
    const isActive = key === 'active' || (key === 'value' && this.path === 'active');
    if (!isActive || typeof value !== 'string') return value;
    return /^(true|false)$/i.test(value) ? value.toLowerCase() === 'true' : value;
  });
  return text === undefined ? undefined : JSON.parse(text);
}

function asPerson(user: object): DirectoryPerson {
  const { userName, externalId, emails, active } = user as {
    userName: string;
    externalId?: string;
    emails?: { value?: string; primary?: boolean }[];
    active?: boolean;
  };
  const email = (emails?.find(({ primary }) => primary) ?? emails?.[0])?.value;
  return { userName, externalId: externalId || null, email, active };
}

/** The library throws TypeErrors for values of other types. */
function typed<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Types.Error(400, 'invalidValue', error.message);
  }
}

/** Returns an error of the library as it is sent; `undefined` for others. */
export function presentProtocolError(error: unknown) {
  if (!(error instanceof Types.Error)) return undefined;
  return { status: error.status, body: errorOf(error.status, error.message, error.scimType) };
}

/** Renders an error of the service in this protocol (RFC 7644, section 3.12). */
export const renderScimError: ErrorRenderer = ({ code, status, message }) => {
  const type = { CONFLICT: 'uniqueness', BAD_REQUEST: 'invalidValue' }[code as string];
  return { contentType: SCIM_TYPE, body: JSON.stringify(errorOf(status, message, type)) };
};

function errorOf(status: number, detail: string, scimType?: string) {
  return {
    schemas: [Messages.ErrorResponse.id],
    status: String(status),
    ...(scimType && { scimType }),
    detail,
  };
}
