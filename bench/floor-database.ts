import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { databasePath, openSqliteFile } from '../src/storage/sql/sqlite-file.ts';

interface Token {
  accountId: string;
  expiresAt: string | null;
}

/** A brief's columns, its owner's namespace and the reader's permission. */
type Brief = Record<string, string | number | null>;

/** The floor's prepared statements. */
export interface FloorDatabase {
  findToken(hash: string): MaybePromise<Token | undefined>;
  findBrief(actorId: string, owner: string, name: string): MaybePromise<Brief | undefined>;
  findPublicBrief(owner: string, name: string): MaybePromise<PublicBrief | undefined>;
  /** Inserts a brief in its own transaction and returns its id once it is durable. */
  insertBrief(ownerId: string, name: string, content: string): MaybePromise<string>;
  close(): void;
}

type MaybePromise<T> = T | Promise<T>;

interface PublicBrief {
  id: string;
  version: number;
  content: string;
}

const TOKEN = `
  select access_token."accountId", access_token."expiresAt"
  from access_token join account on account.id = access_token."accountId"
  where "tokenHash" = $1 and "revokedAt" is null and account."disabledAt" is null`;

const BRIEF = `
  select document.*, owner.namespace, membership.role, collaborator.permission
  from document join owner on owner.id = document."ownerId"
  left join membership on membership."organizationId" = document."ownerId"
    and membership."accountId" = $1
  left join collaborator on collaborator."documentId" = document.id
    and collaborator."accountId" = $1
  where owner.namespace = $2 and document.kind = 'brief' and document.name = $3`;

const PUBLIC_BRIEF = `
  select document.id, document.version, document.content
  from document join owner on owner.id = document."ownerId"
  where owner.namespace = $1 and document.kind = 'brief' and document.name = $2
    and document.visibility = 'public'`;

const INSERT = `
  insert into stored_document (id, kind, "ownerId", "ownerType", name, visibility, version, "sizeBytes",
    "createdBy", "updatedBy", "createdAt", "updatedAt", content)
  values ($1, 'brief', $2, 'user', $3, 'private', 1, $4, $2, $2, $5, $5, $6)`;

/** @param location a data directory, or `postgres://…` */
export function openFloorDatabase(location: string): Promise<FloorDatabase> {
  return location.startsWith('postgres') ? openPostgres(location) : openSqlite(location);
}

/** Uses the service's settings. */
async function openSqlite(dataDir: string): Promise<FloorDatabase> {
  const database = openSqliteFile(databasePath(dataDir));
  const prepare = (text: string) => database.prepare(text.replaceAll('$', '?'));
  const [token, brief, publicBrief, insert] = [TOKEN, BRIEF, PUBLIC_BRIEF, INSERT].map(prepare);
  return {
    findToken: (hash) => token?.get(hash) as unknown as Token | undefined,
    findBrief: (...parameters) => brief?.get(...parameters) as Brief | undefined,
    findPublicBrief: (...parameters) =>
      publicBrief?.get(...parameters) as unknown as PublicBrief | undefined,
    insertBrief(...brief) {
      const values = insertValues(...brief);
      insert?.run(...values);
      return values[0];
    },
    close: () => database.close(),
  };
}

const POOL_SIZE = 10;

async function openPostgres(connectionString: string): Promise<FloorDatabase> {
  const pool = new pg.Pool({ connectionString, max: POOL_SIZE });
  const statement =
    <Result>(name: string, text: string) =>
    async (...values: unknown[]) =>
      (await pool.query({ name, text, values })).rows[0] as Result;
  const insert = statement<undefined>('insert', INSERT);
  return {
    findToken: statement('token', TOKEN),
    findBrief: statement('brief', BRIEF),
    findPublicBrief: statement('public-brief', PUBLIC_BRIEF),
    async insertBrief(...brief) {
      const values = insertValues(...brief);
      await insert(...values);
      return values[0];
    },
    close: () => void pool.end(),
  };
}

let inserted = 0;

/** Ordered by creation, like the service's ids. */
function insertValues(ownerId: string, name: string, content: string) {
  const random = randomUUID();
  const time = (Date.now() * 1024 + (inserted++ % 1024)).toString(16).padStart(15, '0');
  const id = `${time.slice(0, 8)}-${time.slice(8, 12)}-7${time.slice(12)}${random.slice(18)}`;
  const size = Buffer.byteLength(content);
  return [id, ownerId, name, size, new Date().toISOString(), content] as const;
}
