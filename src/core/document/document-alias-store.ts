import type { JoinBuilder } from 'kysely';
import type { Kind } from '../../base/schema/kind.ts';
import type { OwnerType, Visibility } from '../../base/schema/visibility.ts';
import { lookup, type Parameter, prepared } from '../../storage/sql/prepared.ts';
import type { Row } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Tables } from '../../storage/sql/tables.ts';
import type { Standing } from './access-rules.ts';
import type { DocumentRef } from './document-ref.ts';
import { type DocumentRow, documents } from './document-store.ts';

/** A name of an owner's documents of one kind. */
export type OwnedName = Row<'document_alias', 'ownerId' | 'kind' | 'name'>;

export type NewAlias = Row<'document_alias'>;

const insertedAlias = prepared<NewAlias, unknown>((db, parameter) =>
  db
    .insertInto('document_alias')
    .columns(['ownerId', 'kind', 'name', 'documentId', 'visibility'])
    .expression(
      db
        .selectNoFrom([
          parameter('ownerId').as('ownerId'),
          parameter('kind').as('kind'),
          parameter('name').as('name'),
          parameter('documentId').as('documentId'),
          parameter('visibility').as('visibility'),
        ])
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('protected_address')
                .where('ownerId', '=', parameter('ownerId'))
                .where('kind', '=', parameter('kind'))
                .where('name', '=', parameter('name'))
                .where('documentId', '!=', parameter('documentId'))
                .select('documentId'),
            ),
          ),
        ),
    )
    .onConflict((conflict) => conflict.columns(['ownerId', 'kind', 'name']).doNothing()),
);

/**
 * Stores a former name, unless it already leads to a document that had it later. A protected address
 * leads only to the document that alone protects it: others may end their own protection elsewhere.
 */
export async function insertAlias(db: Writer, alias: NewAlias): Promise<void> {
  await insertedAlias(db, alias);
}

const deletedAlias = prepared<OwnedName, unknown>((db, parameter) =>
  db
    .deleteFrom('document_alias')
    .where('ownerId', '=', parameter('ownerId'))
    .where('kind', '=', parameter('kind'))
    .where('name', '=', parameter('name')),
);

/** Deletes a former name, because a document takes it. */
export async function deleteAlias(db: Writer, name: OwnedName): Promise<void> {
  await deletedAlias(db, name);
}

type Lookup = { kind: Kind; owner: string; name: string };

/** A document found by its current or a former name. */
export type AnyNameRow = DocumentRow & {
  /** Its visibility when it gave up the name; `null` if it still has the name. */
  visibilityThen: Visibility | null;
  /** The owner when it had the name, and the actor's role there. */
  ownerIdThen: string | null;
  ownerTypeThen: OwnerType | null;
  roleThen: Standing['role'];
};

const documentByAnyName = lookup<Lookup & { actorId: string }, AnyNameRow>((db, parameter) =>
  documents(db, parameter('actorId'))
    .leftJoin('document_alias', (join) => onAlias(join, parameter))
    .leftJoin('owner as owner_then', 'owner_then.id', 'document_alias.ownerId')
    .leftJoin('membership as membership_then', (join) =>
      join
        .onRef('membership_then.organizationId', '=', 'document_alias.ownerId')
        .on('membership_then.accountId', '=', parameter('actorId')),
    )
    .where('document.id', 'in', idsByAnyName(db, parameter))
    .select([
      'document_alias.visibility as visibilityThen',
      'owner_then.id as ownerIdThen',
      'owner_then.type as ownerTypeThen',
      'membership_then.role as roleThen',
    ]),
);

/**
 * Finds the document that has a name or had it last, with the actor's standing. Called when no
 * document had the name a moment ago, but also finds one that has taken it since.
 */
export async function findDocumentByAnyName(
  db: Reader,
  ref: DocumentRef,
  actorId: string,
): Promise<AnyNameRow | undefined> {
  const [row] = await documentByAnyName(db, { ...ref, actorId });
  return row;
}

const publicNameByAnyName = lookup<Lookup, { owner: string; name: string }>((db, parameter) =>
  db
    .selectFrom('document')
    .innerJoin('owner', 'owner.id', 'document.ownerId')
    .leftJoin('document_alias', (join) => onAlias(join, parameter))
    .where('document.id', 'in', idsByAnyName(db, parameter))
    .where('document.visibility', '=', 'public')
    .where(({ eb }) =>
      eb.or([
        eb('document_alias.visibility', 'is', null),
        eb('document_alias.visibility', '=', 'public'),
      ]),
    )
    .select(['owner.namespace as owner', 'document.name']),
);

/**
 * Finds the owner and current name of a document that has a name or had it last. It must be public,
 * and have been public when it gave up the name.
 */
export async function findPublicName(
  db: Reader,
  ref: DocumentRef,
): Promise<{ owner: string; name: string } | undefined> {
  const [row] = await publicNameByAnyName(db, { ...ref });
  return row;
}

/** Joins the alias with the requested owner and name. The owner may be a former one. */
function onAlias(
  join: JoinBuilder<Tables, 'document' | 'document_alias'>,
  parameter: Parameter<Lookup>,
) {
  return join
    .on('document_alias.ownerId', '=', (sub) =>
      sub.selectFrom('owner').where('namespace', '=', parameter('owner')).select('id'),
    )
    .onRef('document_alias.kind', '=', 'document.kind')
    .onRef('document_alias.documentId', '=', 'document.id')
    .on('document_alias.name', '=', parameter('name'));
}

/**
 * Selects the ids by two keys, so that the cost doesn't depend on the owner's number of documents.
 */
function idsByAnyName(db: Reader, parameter: Parameter<Lookup>) {
  return db
    .selectFrom('owner')
    .innerJoin('document_alias', 'document_alias.ownerId', 'owner.id')
    .where('owner.namespace', '=', parameter('owner'))
    .where('document_alias.kind', '=', parameter('kind'))
    .where('document_alias.name', '=', parameter('name'))
    .select('document_alias.documentId as id')
    .unionAll(
      db
        .selectFrom('owner')
        .innerJoin('document', 'document.ownerId', 'owner.id')
        .where('owner.namespace', '=', parameter('owner'))
        .where('document.kind', '=', parameter('kind'))
        .where('document.name', '=', parameter('name'))
        .select('document.id'),
    );
}
