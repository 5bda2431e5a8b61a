import { type ExpressionBuilder, sql } from 'kysely';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Tables } from '../../storage/sql/tables.ts';
import type { OwnedName } from '../document/document-alias-store.ts';

/** Whether a document needs an approval before it becomes public, and whose. */
export interface Protection {
  /** By its own setting. */
  isOwn: boolean;
  /** By its organization's setting. */
  isInherited: boolean;
  /** Whether who wrote unapproved words can't approve them alone. */
  twoPeople: boolean;
}

const settings = prepared<
  { documentId: string; ownerId: string },
  { source: 'document' | 'organization'; isOn: 0 | 1; twoPeople: 0 | 1 }
>((db, parameter) =>
  db
    .selectFrom('review_setting')
    .where('document_id', '=', parameter('documentId'))
    .select(['protected as isOn', 'two_people as twoPeople'])
    .select(sql<'document' | 'organization'>`'document'`.as('source'))
    .unionAll(
      db
        .selectFrom('organization')
        .where('id', '=', parameter('ownerId'))
        .select(['protected as isOn', 'two_people as twoPeople'])
        .select(sql<'document' | 'organization'>`'organization'`.as('source')),
    ),
);

/** Finds how a document is protected. @param document.documentId '' for a new one */
export async function findProtection(
  db: Reader,
  document: { documentId: string; ownerId: string },
): Promise<Protection> {
  const rows = await settings(db, document);
  const own = rows.find(({ source }) => source === 'document');
  const organization = rows.find(({ source }) => source === 'organization');
  return {
    isOwn: own?.isOn === 1,
    isInherited: organization?.isOn === 1,
    twoPeople: (organization ?? own)?.twoPeople === 1,
  };
}

/** Tells whether a document is protected, by its own setting or its organization's. */
export async function isProtected(
  db: Reader,
  document: { documentId: string; ownerId: string },
): Promise<boolean> {
  const { isOwn, isInherited } = await findProtection(db, document);
  return isOwn || isInherited;
}

/**
 * Tells whether an organization has anything that its admins could release from protection: its own
 * setting, a document that is protected by itself, also in the trash, or an address.
 */
export async function hasProtected(db: Reader, organizationId: string): Promise<boolean> {
  const row = await db
    .selectFrom('organization')
    .where('id', '=', organizationId)
    .where('protected', '=', 1)
    .select('id')
    .unionAll(
      db
        .selectFrom('protected_address')
        .where('owner_id', '=', organizationId)
        .select('owner_id as id'),
    )
    .unionAll(
      db
        .selectFrom('review_setting')
        .innerJoin('stored_document', 'stored_document.id', 'review_setting.document_id')
        .where('stored_document.owner_id', '=', organizationId)
        .where('review_setting.protected', '=', 1)
        .select('stored_document.id'),
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function updateOrganizationProtection(
  db: Writer,
  organizationId: string,
  { isOn, twoPeople }: { isOn: boolean; twoPeople: boolean },
): Promise<void> {
  await db
    .updateTable('organization')
    .set({ protected: isOn ? 1 : 0, two_people: twoPeople ? 1 : 0 })
    .where('id', '=', organizationId)
    .execute();
}

const protectedAddress = prepared<OwnedName, { documentId: string; twoPeople: 0 | 1 }>(
  (db, parameter) =>
    db
      .selectFrom('protected_address')
      .where('owner_id', '=', parameter('ownerId'))
      .where('kind', '=', parameter('kind'))
      .where('name', '=', parameter('name'))
      .select(['document_id as documentId', 'two_people as twoPeople']),
);

/** A protected address. */
export interface HeldAddress {
  /** The protected documents that were public there. */
  documentIds: string[];
  /** Whether who wrote unapproved words of one of them couldn't approve them alone. */
  twoPeople: boolean;
}

/** Finds how an address is protected, if a protected document was public there. */
export async function findProtectedAt(
  db: Reader,
  address: OwnedName,
): Promise<HeldAddress | undefined> {
  const rows = await protectedAddress(db, address);
  if (rows.length === 0) return undefined;
  return {
    documentIds: rows.map(({ documentId }) => documentId),
    twoPeople: rows.some(({ twoPeople }) => twoPeople === 1),
  };
}

const heldAddress = prepared<{ documentId: string }, unknown>((db, parameter) =>
  db
    .insertInto('protected_address')
    .columns(['owner_id', 'kind', 'name', 'document_id', 'two_people'])
    .expression((build) =>
      build
        .selectFrom('document')
        .leftJoin('review_setting', 'review_setting.document_id', 'document.id')
        .leftJoin('organization', 'organization.id', 'document.owner_id')
        .where('document.id', '=', parameter('documentId'))
        .where('document.visibility', '=', 'public')
        .where(({ or, eb }) =>
          or([eb('review_setting.protected', '=', 1), eb('organization.protected', '=', 1)]),
        )
        .select(['document.owner_id', 'document.kind', 'document.name', 'document.id'])
        .select(({ fn, val }) =>
          fn
            .coalesce('organization.two_people', 'review_setting.two_people', val<0 | 1>(0))
            .as('two_people'),
        ),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['owner_id', 'kind', 'name', 'document_id'])
        .doUpdateSet(({ ref }) => ({ two_people: ref('excluded.two_people') })),
    ),
);

/**
 * Keeps the address of a protected document protected if the document is public. Call before it
 * leaves the address or is no longer public. Other documents that protect the address still do, or
 * whoever can end the protection of one of them could free it.
 */
export async function holdAddress(db: Writer, documentId: string): Promise<void> {
  await heldAddress(db, { documentId });
}

const inherited = prepared<OwnedName & { documentId: string }, unknown>((db, parameter) =>
  db
    .insertInto('review_setting')
    .columns(['document_id', 'comments', 'protected', 'two_people'])
    .expression((build) =>
      build
        .selectFrom('protected_address')
        .where('owner_id', '=', parameter('ownerId'))
        .where('kind', '=', parameter('kind'))
        .where('name', '=', parameter('name'))
        .groupBy(['owner_id', 'kind', 'name'])
        .select([
          sql<string>`${parameter('documentId')}`.as('document_id'),
          sql.lit('insiders' as const).as('comments'),
          sql.lit(1 as const).as('protected'),
        ])
        .select(({ fn }) => fn.max<0 | 1>('two_people').as('two_people')),
    )
    .onConflict((conflict) =>
      conflict.column('document_id').doUpdateSet(({ ref }) => ({
        protected: 1,
        // Neither the document's own setting nor that of the address becomes weaker.
        two_people: sql<0 | 1>`case when ${ref('review_setting.two_people')} = 1 then 1
          else ${ref('excluded.two_people')} end`,
      })),
    ),
);

/** Protects a document that takes a protected address. */
export async function inheritProtection(
  db: Writer,
  document: OwnedName & { documentId: string },
): Promise<void> {
  await inherited(db, document);
}

function protectedOrganizations({
  selectFrom,
}: Pick<ExpressionBuilder<Tables, never>, 'selectFrom'>) {
  return selectFrom('organization').where('protected', '=', 1).select('organization.id');
}

/**
 * Ends the protection of the address that a document has, and its part in that of those which it has
 * left, because its own protection ends. Those of protected organizations stay: their members could
 * end what their admins want.
 */
export async function releaseAddresses(db: Writer, documentId: string): Promise<void> {
  await db
    .deleteFrom('protected_address')
    .where('owner_id', 'not in', protectedOrganizations)
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('protected_address.document_id', '=', documentId),
        exists(
          selectFrom('document')
            .where('document.id', '=', documentId)
            .whereRef('document.owner_id', '=', 'protected_address.owner_id')
            .whereRef('document.kind', '=', 'protected_address.kind')
            .whereRef('document.name', '=', 'protected_address.name')
            .select('document.id'),
        ),
      ]),
    )
    .execute();
}

/**
 * Ends the protection of an organization's addresses, because its own protection ends. Those of
 * documents with a protection of their own stay.
 */
export async function releaseOrganizationAddresses(
  db: Writer,
  organizationId: string,
): Promise<void> {
  await db
    .deleteFrom('protected_address')
    .where('owner_id', '=', organizationId)
    .where('document_id', 'not in', ({ selectFrom }) =>
      selectFrom('review_setting').where('protected', '=', 1).select('document_id'),
    )
    .execute();
}

/**
 * Lists the other addresses that only a protected document keeps protected and that its own
 * protection decides about, as `owner/name`.
 */
export async function listLeftAddresses(db: Reader, documentId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('protected_address as held')
    .innerJoin('owner', 'owner.id', 'held.owner_id')
    .where('held.document_id', '=', documentId)
    .where('held.owner_id', 'not in', protectedOrganizations)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('document')
            .where('document.id', '=', documentId)
            .whereRef('document.owner_id', '=', 'held.owner_id')
            .whereRef('document.name', '=', 'held.name')
            .select('document.id'),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('protected_address as other')
            .whereRef('other.owner_id', '=', 'held.owner_id')
            .whereRef('other.kind', '=', 'held.kind')
            .whereRef('other.name', '=', 'held.name')
            .where('other.document_id', '!=', documentId)
            .select('other.document_id'),
        ),
      ),
    )
    .select(['owner.namespace', 'held.name'])
    .orderBy('owner.namespace')
    .orderBy('held.name')
    .execute();
  return rows.map(({ namespace, name }) => `${namespace}/${name}`);
}

/**
 * Lists the accounts that answer for an owner's documents: the owner, or the organization's admins.
 * Not admin collaborators, whom others can invite, and no disabled accounts.
 */
export async function listManagers(db: Reader, ownerId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('account')
    .where('account.id', '=', ownerId)
    .where('account.disabled_at', 'is', null)
    .select('account.id')
    .union(
      db
        .selectFrom('membership')
        .innerJoin('account', 'account.id', 'membership.account_id')
        .where('membership.organization_id', '=', ownerId)
        .where('membership.role', '=', 'admin')
        .where('account.disabled_at', 'is', null)
        .select('account.id'),
    )
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Lists the requested reviewers of a document whom some accounts appointed, by asking them in the
 * web app. No disabled accounts.
 */
export async function listAppointed(
  db: Reader,
  documentId: string,
  by: readonly string[],
): Promise<string[]> {
  if (by.length === 0) return [];
  const rows = await db
    .selectFrom('review_request')
    .innerJoin('account', 'account.id', 'review_request.account_id')
    .where('review_request.document_id', '=', documentId)
    .where('review_request.appointed_by', 'in', by)
    .where('account.disabled_at', 'is', null)
    .select('account.id')
    .execute();
  return rows.map(({ id }) => id);
}
