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
    .where('documentId', '=', parameter('documentId'))
    .select(['protected as isOn', 'twoPeople'])
    .select(sql<'document' | 'organization'>`'document'`.as('source'))
    .unionAll(
      db
        .selectFrom('organization')
        .where('id', '=', parameter('ownerId'))
        .select(['protected as isOn', 'twoPeople'])
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
        .where('ownerId', '=', organizationId)
        .select('ownerId as id'),
    )
    .unionAll(
      db
        .selectFrom('review_setting')
        .innerJoin('stored_document', 'stored_document.id', 'review_setting.documentId')
        .where('stored_document.ownerId', '=', organizationId)
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
    .set({ protected: isOn ? 1 : 0, twoPeople: twoPeople ? 1 : 0 })
    .where('id', '=', organizationId)
    .execute();
}

const protectedAddress = prepared<OwnedName, { documentId: string; twoPeople: 0 | 1 }>(
  (db, parameter) =>
    db
      .selectFrom('protected_address')
      .where('ownerId', '=', parameter('ownerId'))
      .where('kind', '=', parameter('kind'))
      .where('name', '=', parameter('name'))
      .select(['documentId', 'twoPeople']),
);

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
    .columns(['ownerId', 'kind', 'name', 'documentId', 'twoPeople'])
    .expression((build) =>
      build
        .selectFrom('document')
        .leftJoin('review_setting', 'review_setting.documentId', 'document.id')
        .leftJoin('organization', 'organization.id', 'document.ownerId')
        .where('document.id', '=', parameter('documentId'))
        .where('document.visibility', '=', 'public')
        .where(({ or, eb }) =>
          or([eb('review_setting.protected', '=', 1), eb('organization.protected', '=', 1)]),
        )
        .select(['document.ownerId', 'document.kind', 'document.name', 'document.id'])
        .select(({ fn, val }) =>
          fn
            .coalesce('organization.twoPeople', 'review_setting.twoPeople', val<0 | 1>(0))
            .as('twoPeople'),
        ),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['ownerId', 'kind', 'name', 'documentId'])
        .doUpdateSet(({ ref }) => ({ twoPeople: ref('excluded.twoPeople') })),
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
    .columns(['documentId', 'comments', 'protected', 'twoPeople'])
    .expression((build) =>
      build
        .selectFrom('protected_address')
        .where('ownerId', '=', parameter('ownerId'))
        .where('kind', '=', parameter('kind'))
        .where('name', '=', parameter('name'))
        .groupBy(['ownerId', 'kind', 'name'])
        .select([
          sql<string>`${parameter('documentId')}`.as('documentId'),
          sql.lit('insiders' as const).as('comments'),
          sql.lit(1 as const).as('protected'),
        ])
        .select(({ fn }) => fn.max<0 | 1>('twoPeople').as('twoPeople')),
    )
    .onConflict((conflict) =>
      conflict.column('documentId').doUpdateSet(({ ref }) => ({
        protected: 1,
        // Neither the document's own setting nor that of the address becomes weaker.
        twoPeople: sql<0 | 1>`case when ${ref('review_setting.twoPeople')} = 1 then 1
          else ${ref('excluded.twoPeople')} end`,
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
    .where('ownerId', 'not in', protectedOrganizations)
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('protected_address.documentId', '=', documentId),
        exists(
          selectFrom('document')
            .where('document.id', '=', documentId)
            .whereRef('document.ownerId', '=', 'protected_address.ownerId')
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
    .where('ownerId', '=', organizationId)
    .where('documentId', 'not in', ({ selectFrom }) =>
      selectFrom('review_setting').where('protected', '=', 1).select('documentId'),
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
    .innerJoin('owner', 'owner.id', 'held.ownerId')
    .where('held.documentId', '=', documentId)
    .where('held.ownerId', 'not in', protectedOrganizations)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('document')
            .where('document.id', '=', documentId)
            .whereRef('document.ownerId', '=', 'held.ownerId')
            .whereRef('document.name', '=', 'held.name')
            .select('document.id'),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('protected_address as other')
            .whereRef('other.ownerId', '=', 'held.ownerId')
            .whereRef('other.kind', '=', 'held.kind')
            .whereRef('other.name', '=', 'held.name')
            .where('other.documentId', '!=', documentId)
            .select('other.documentId'),
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
    .where('account.disabledAt', 'is', null)
    .select('account.id')
    .union(
      db
        .selectFrom('membership')
        .innerJoin('account', 'account.id', 'membership.accountId')
        .where('membership.organizationId', '=', ownerId)
        .where('membership.role', '=', 'admin')
        .where('account.disabledAt', 'is', null)
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
    .innerJoin('account', 'account.id', 'review_request.accountId')
    .where('review_request.documentId', '=', documentId)
    .where('review_request.appointedBy', 'in', by)
    .where('account.disabledAt', 'is', null)
    .select('account.id')
    .execute();
  return rows.map(({ id }) => id);
}
