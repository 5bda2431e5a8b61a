import { hashSecret } from '../src/base/crypto/hash-secret.ts';
import type { OwnerType, Visibility } from '../src/base/schema/visibility.ts';
import { documentTerms } from '../src/base/search/search-terms.ts';
import { markdownText } from '../src/base/search/search-text.ts';
import { formatToken, TOKEN_SECRET_BYTES } from '../src/core/identity/token.ts';
import type { Tables } from '../src/storage/sql/tables.ts';
import type { DocumentWords } from '../src/storage/word-index/word-index.ts';
import { makeBrief, makePassages, type Passages, type Random, seededRandom } from './text.ts';

/** What to generate. */
export interface Plan {
  briefs: number;
  /**
   * With 1, ada owns everything. Otherwise the number of users and organizations that own the
   * briefs, evenly except {@link OWN_BRIEFS} of ada's. Never more than briefs.
   */
  owners: number;
  /** Half of the briefs are larger, none by more than seven times. */
  medianBytes: number;
}

/** Rows of one table, by the names of their columns. */
export interface TableRows {
  table: keyof Tables;
  rows: Record<string, string | number | null>[];
}

/** What to write: rows, or words for the search index. */
export type Rows = TableRows | { words: DocumentWords[] };

/** How many briefs ada has if there are other owners. */
export const OWN_BRIEFS = 30;

/** How many other users there are if ada owns everything. */
const NEIGHBOURS = 1_000;

/** One in `ORGANIZATION_EVERY` owners is an organization. Each has this many members. */
const ORGANIZATION_EVERY = 20;
const MEMBERS = 5;

/** Shares of all briefs. */
const CHANGED = 0.3;
const SHARED = 0.05;
const MAX_CHANGES = 5;

/** Labels, and the share of briefs that have each. */
const LABELS = { draft: 0.5, final: 0.02 };

const VISIBILITIES: Record<OwnerType, readonly Visibility[]> = {
  user: ['public', 'private', 'private'],
  organization: ['public', 'internal', 'internal', 'private'],
};

/** The first brief is created at this time, the others one after another until `UNTIL`. */
export const FROM = Date.parse('2025-01-01T00:00:00Z');
export const UNTIL = Date.parse('2026-10-01T00:00:00Z');

/** A brief is changed after at most this many more briefs were created. */
const CHANGED_WITHIN = 4_096;

/**
 * The number of briefs in a batch. Within a batch, words are written in the index's order, which is
 * faster.
 */
const BATCH = 8_192;

const ROLES = ['read', 'write'] as const;

interface Owner {
  id: string;
  type: OwnerType;
  /** The writers: the user, or the members. */
  writers: string[];
}

/**
 * Yields the rows of all tables in an order in which they can be inserted. Returns a token of
 * ada's.
 */
export function* generateRows(plan: Plan): Generator<Rows, { token: string }> {
  const random = seededRandom(plan.briefs + plan.owners);
  const people = makePeople(plan, random);
  yield* people.rows;
  const maker = new BriefMaker(plan, random, people);
  for (let from = 0; from < plan.briefs; from += BATCH) {
    yield* maker.batch(from, Math.min(from + BATCH, plan.briefs));
  }
  return { token: people.token };
}

interface People {
  rows: Rows[];
  owners: Owner[];
  /** The users whom briefs are shared with. */
  users: string[];
  token: string;
}

function makePeople(plan: Plan, random: Random): People {
  const count = Math.min(plan.owners, plan.briefs);
  const total = count === 1 ? NEIGHBOURS : count;
  const tables = {
    owner: [] as TableRows['rows'],
    account: [] as TableRows['rows'],
    access_token: [] as TableRows['rows'],
    organization: [] as TableRows['rows'],
    stored_membership: [] as TableRows['rows'],
  };
  const at = isoTime(FROM);
  const isOrganization = (index: number) => index % ORGANIZATION_EVERY === ORGANIZATION_EVERY - 1;
  const everybody: Owner[] = [];
  for (let index = 0; index < total; index += 1) {
    const type = isOrganization(index) ? 'organization' : 'user';
    const id = idAt(FROM - total + index, random);
    const namespace = index === 0 ? 'ada' : `${type === 'user' ? 'u' : 'o'}${index}`;
    tables.owner.push({ id, type, namespace });
    everybody.push({
      id,
      type,
      writers: type === 'user' ? [id] : [],
    });
    if (type === 'user') {
      const email = `${namespace}@example.com`;
      tables.account.push({
        id,
        type,
        email,
        emailKey: email,
        disabledAt: null,
        createdAt: at,
        passwordHash: null,
      });
    }
  }
  const users = everybody.filter(({ type }) => type === 'user').map(({ id }) => id);
  const tokens = users.map(() => formatToken(bytes(TOKEN_SECRET_BYTES, random)));
  for (const [index, accountId] of users.entries()) {
    tables.access_token.push({
      id: idAt(FROM + index, random),
      accountId,
      name: 'test',
      tokenHash: hashSecret(tokens[index] as string),
      createdAt: at,
      expiresAt: null,
      lastUsedAt: null,
      revokedAt: null,
      scopes: null,
    });
  }
  for (const [index, { id, type, writers }] of everybody.entries()) {
    if (type === 'user') continue;
    // The members are among the owners just before it. They are users, because only one in twenty
    // owners is an organization.
    const first = index - ORGANIZATION_EVERY + 1;
    for (let member = 0; member < MEMBERS; member += 1) {
      const accountId = everybody[first + member]?.id as string;
      writers.push(accountId);
      tables.stored_membership.push({
        id: idAt(FROM + writers.length, random),
        organizationId: id,
        accountId,
        role: member === 0 ? 'admin' : 'member',
        joinedAt: at,
      });
    }
    tables.organization.push({
      id,
      type,
      name: `Organization ${index}`,
      membersCanCreate: 1,
      defaultBriefPermission: 'read',
      createdBy: writers[0] as string,
      createdAt: at,
      updatedAt: at,
    });
  }
  const rows = Object.entries(tables).map(([table, of]) => ({ table, rows: of }) as Rows);
  const [token = ''] = tokens;
  return { rows, owners: everybody.slice(0, count), users, token };
}

class BriefMaker {
  readonly #plan: Plan;
  readonly #random: Random;
  readonly #people: People;
  readonly #passages: Passages;
  readonly #stepMs: number;

  constructor(plan: Plan, random: Random, people: People) {
    this.#plan = plan;
    this.#random = random;
    this.#people = people;
    this.#passages = makePassages(random);
    this.#stepMs = Math.floor((UNTIL - FROM) / (plan.briefs + CHANGED_WITHIN));
    if (this.#stepMs <= CHANGED_WITHIN) throw new Error(`${plan.briefs} briefs are too many.`);
  }

  /** Returns the rows of the briefs with these numbers. */
  batch(from: number, to: number): Rows[] {
    const tables = {
      stored_document: [] as TableRows['rows'],
      collaborator: [] as TableRows['rows'],
      document_label: [] as TableRows['rows'],
      revision: [] as TableRows['rows'],
      revision_text: [] as TableRows['rows'],
    };
    const words: DocumentWords[] = [];
    for (let number = from; number < to; number += 1) {
      const brief = this.#brief(number);
      tables.stored_document.push(brief.document);
      tables.collaborator.push(...brief.collaborators);
      tables.document_label.push(...brief.labels);
      tables.revision.push(...brief.revisions);
      tables.revision_text.push(...brief.texts);
      words.push(brief.words);
    }
    const rows = Object.entries(tables).map(([table, of]) => ({ table, rows: of }) as TableRows);
    return [...rows, { words }];
  }

  #brief(number: number) {
    const random = this.#random;
    const owner = this.#ownerOf(number);
    const created = FROM + number * this.#stepMs;
    const id = idAt(created, random);
    const visibility = pick(VISIBILITIES[owner.type], random);
    const { heading, text } = makeBrief(random, this.#passages, this.#size());
    const name = `${heading.join('-')}-${number}`;
    const title = text.slice('# '.length, text.indexOf('\n'));
    const writer = pick(owner.writers, random);
    const collaborators = this.#collaborators(id, created, owner, writer);
    const times = this.#changeTimes(number);
    const revisions = [created, ...times].map((at, index) => ({
      documentId: id,
      version: index + 1,
      accountId: writer,
      via: 'web',
      changed: index === 0 ? 'content name visibility' : 'content',
      at: isoTime(at),
    }));
    const texts = times.map((_, index) => ({
      documentId: id,
      lastVersion: index + 1,
      coding: 'gone',
      sizeBytes: 0,
      storedBytes: 0,
    }));
    const updated = times.at(-1) ?? created;
    const readers = { ownerId: owner.id, ownerType: owner.type, visibility };
    const collaboratorIds = collaborators.map(({ accountId }) => accountId);
    const words = documentTerms(
      { id, name, title, ...readers, collaboratorIds },
      markdownText(text),
    );
    const labels = Object.entries(LABELS).filter(([, share]) => random() < share);
    return {
      labels: labels.map(([label]) => ({
        documentId: id,
        key: label,
        ownerId: owner.id,
        label,
        kind: 'brief',
        visibility,
        updatedAt: isoTime(updated),
        titleKey: title.toLowerCase(),
      })),
      document: {
        id,
        kind: 'brief',
        ownerId: owner.id,
        ownerType: owner.type,
        name,
        visibility,
        version: revisions.length,
        sizeBytes: Buffer.byteLength(text),
        createdBy: writer,
        updatedBy: writer,
        createdAt: isoTime(created),
        updatedAt: isoTime(updated),
        title,
        storagePath: null,
        content: text,
      },
      collaborators,
      revisions,
      texts,
      words: { id, updatedAt: updated, words, pageText: null },
    };
  }

  #ownerOf(number: number): Owner {
    const { owners } = this.#people;
    const every = Math.ceil(this.#plan.briefs / OWN_BRIEFS);
    const index = number % every === 0 ? 0 : Math.floor(owners.length * this.#random());
    return owners[index] as Owner;
  }

  /** Sizes of texts are log-normal; these are cut at both ends. */
  #size(): number {
    const { medianBytes } = this.#plan;
    const normal =
      Math.sqrt(-2 * Math.log(1 - this.#random())) * Math.cos(2 * Math.PI * this.#random());
    const size = medianBytes * Math.exp(0.8 * normal);
    return Math.min(Math.max(size, medianBytes / 15), medianBytes * 6.5);
  }

  #changeTimes(number: number): number[] {
    const random = this.#random;
    if (random() > CHANGED) return [];
    const changes = 1 + Math.floor(MAX_CHANGES * random());
    const last = CHANGED_WITHIN - 1;
    const steps = Array.from({ length: changes }, () => 1 + Math.floor(last * random()));
    // Each change has its own millisecond, because searches are ordered by it.
    const own = 1 + (number % last);
    return steps.sort((a, b) => a - b).map((step) => FROM + (number + step) * this.#stepMs + own);
  }

  /** In an organization, a brief's creator is its admin. Some briefs are shared with others. */
  #collaborators(documentId: string, created: number, owner: Owner, writer: string) {
    const random = this.#random;
    const accounts = new Map<string, string>();
    if (owner.type === 'organization') accounts.set(writer, 'admin');
    if (random() < SHARED) {
      const guest = pick(this.#people.users, random);
      if (!owner.writers.includes(guest)) accounts.set(guest, pick(ROLES, random));
    }
    return [...accounts].map(([accountId, permission], index) => ({
      id: idAt(created + index, random),
      documentId,
      accountId,
      permission,
      addedAt: isoTime(created),
    }));
  }
}

function pick<T>(from: readonly T[], random: Random): T {
  return from[Math.floor(from.length * random())] as T;
}

function bytes(count: number, random: Random): Uint8Array {
  return Uint8Array.from({ length: count }, () => 256 * random());
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Returns a UUIDv7 of that time (RFC 9562, section 5.7). */
function idAt(ms: number, random: Random): string {
  const time = ms.toString(16).padStart(12, '0');
  const digits = (count: number) =>
    Math.floor(16 ** count * random())
      .toString(16)
      .padStart(count, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${digits(3)}-8${digits(3)}-${digits(12)}`;
}
