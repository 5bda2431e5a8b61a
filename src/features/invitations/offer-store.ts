import { sql } from 'kysely';
import type { Kind } from '../../base/schema/kind.ts';
import type { LinkAccess, Permission, Standing } from '../../core/document/access-rules.ts';
import type { Role } from '../../core/owner/organization-access.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** The tables of offers. Their rows exist only while an offer is open. */
const TABLES = [
  'document_invitation',
  'organization_invitation',
  'email_invitation',
  'document_link',
] as const;

interface Offer {
  id: string;
  table: (typeof TABLES)[number];
  /** The document's owner, or the organization. */
  ownerNamespace: string;
  /** The invited username or email address; `null` for a link. */
  to: string | null;
  /** `null` if it never expires. */
  expiresAt: string | null;
}

/** A pending invitation or a secret link to a document, with its maker's current standing. */
export interface OfferOfDocument extends Offer {
  documentId: string;
  kind: Kind;
  documentName: string;
  gives: Permission | LinkAccess;
  /** What a link is for; may be empty. */
  note: string;
  /** `undefined` if the maker's account is gone. */
  standing: Standing | undefined;
}

/** A pending invitation to an organization, with its maker's current role there. */
export interface OfferOfOrganization extends Offer {
  documentId: null;
  gives: Role;
  makerRole: Role | null;
}

export type OfferRow = OfferOfDocument | OfferOfOrganization;

/** Whose offers, or which document's. */
export type OfferScope =
  /** One person's to an organization and its documents. */
  | { makerId: string; organizationId: string }
  /** One person's to a document. */
  | { makerId: string; documentId: string }
  /** Everyone's to a document. */
  | { documentId: string };

/** Lists offers, including invitations that expired, newest first. */
export async function listOffers(db: Reader, scope: OfferScope): Promise<OfferRow[]> {
  const ofDocuments = await listOffersOfDocuments(db, scope);
  if (!('organizationId' in scope)) return ofDocuments;
  return [...(await listOffersOfOrganization(db, scope)), ...ofDocuments];
}

interface MadeOffer {
  id: string;
  table: 'document_invitation' | 'email_invitation' | 'document_link';
  documentId: string;
  makerId: string | null;
  targetId: string | null;
  email: string | null;
  gives: Permission | LinkAccess;
  note: string;
  expiresAt: string | null;
}

async function listOffersOfDocuments(db: Reader, scope: OfferScope): Promise<OfferOfDocument[]> {
  const within = (maker: string) => {
    const isMakers = 'makerId' in scope && sql`${sql.ref(maker)} = ${scope.makerId}`;
    const isOfDocument = 'documentId' in scope && sql`document_id = ${scope.documentId}`;
    return sql.join(
      [sql`document_id is not null`, isMakers, isOfDocument].filter((one) => one !== false),
      sql` and `,
    );
  };
  const made = sql<MadeOffer>`(
    select id, 'document_invitation' as "table", document_id as "documentId",
      invited_by as "makerId", target_id as "targetId", null as email, permission as gives,
      '' as note, expires_at as "expiresAt"
    from document_invitation where ${within('invited_by')}
    union all
    select id, 'email_invitation', document_id, invited_by, null, email, permission, '', expires_at
    from email_invitation where ${within('invited_by')}
    union all
    select id, 'document_link', document_id, created_by, null, null, access, note, expires_at
    from document_link where ${within('created_by')}
  )`;
  let rows = db
    .selectFrom(made.as('offer'))
    .innerJoin('document', 'document.id', 'offer.documentId')
    .innerJoin('owner', 'owner.id', 'document.owner_id')
    .leftJoin('organization', 'organization.id', 'document.owner_id')
    .leftJoin('owner as target', 'target.id', 'offer.targetId')
    .leftJoin('membership', (join) =>
      join
        .onRef('membership.organization_id', '=', 'document.owner_id')
        .onRef('membership.account_id', '=', 'offer.makerId'),
    )
    .leftJoin('collaborator', (join) =>
      join
        .onRef('collaborator.document_id', '=', 'document.id')
        .onRef('collaborator.account_id', '=', 'offer.makerId'),
    )
    .select([
      'offer.id',
      'offer.table',
      'offer.documentId',
      'offer.makerId',
      'offer.email',
      'offer.gives',
      'offer.note',
      'offer.expiresAt',
      'target.namespace as targetUsername',
      'document.kind',
      'document.name as documentName',
      'document.visibility',
      'document.owner_id as ownerId',
      'document.owner_type as ownerType',
      'owner.namespace as ownerNamespace',
      'membership.role',
      'collaborator.permission',
      'organization.default_brief_permission as defaultBriefPermission',
    ]);
  if ('organizationId' in scope) rows = rows.where('document.owner_id', '=', scope.organizationId);
  const found = await rows.orderBy('offer.id', 'desc').execute();
  return found.map((row) => ({
    id: row.id,
    table: row.table,
    ownerNamespace: row.ownerNamespace,
    to: row.targetUsername ?? row.email,
    expiresAt: row.expiresAt,
    documentId: row.documentId,
    kind: row.kind,
    documentName: row.documentName,
    gives: row.gives,
    note: row.note,
    standing: row.makerId === null ? undefined : { ...row, actorId: row.makerId },
  }));
}

async function listOffersOfOrganization(
  db: Reader,
  { makerId, organizationId }: { makerId: string; organizationId: string },
): Promise<OfferOfOrganization[]> {
  const byName = db
    .selectFrom('organization_invitation as invitation')
    .innerJoin('owner as target', 'target.id', 'invitation.target_id')
    .where('invitation.invited_by', '=', makerId)
    .where('invitation.organization_id', '=', organizationId)
    .select([
      'invitation.id',
      sql<'organization_invitation' | 'email_invitation'>`'organization_invitation'`.as('table'),
      'invitation.role',
      'target.namespace as to',
      'invitation.expires_at as expiresAt',
    ]);
  const byEmail = db
    .selectFrom('email_invitation as invitation')
    .where('invitation.invited_by', '=', makerId)
    .where('invitation.organization_id', '=', organizationId)
    .select([
      'invitation.id',
      sql<'organization_invitation' | 'email_invitation'>`'email_invitation'`.as('table'),
      sql<Role>`invitation.role`.as('role'),
      'invitation.email as to',
      'invitation.expires_at as expiresAt',
    ]);
  const rows = await db
    .selectFrom(byName.unionAll(byEmail).as('offer'))
    .innerJoin('owner', (join) => join.on('owner.id', '=', organizationId))
    .leftJoin('membership', (join) =>
      join
        .onRef('membership.organization_id', '=', 'owner.id')
        .on('membership.account_id', '=', makerId),
    )
    .select([
      'offer.id',
      'offer.table',
      'offer.role as gives',
      'offer.to',
      'offer.expiresAt',
      'owner.namespace as ownerNamespace',
      'membership.role as makerRole',
    ])
    .orderBy('offer.id', 'desc')
    .execute();
  return rows.map((row) => ({ ...row, documentId: null }));
}

/** The most ids in one statement; databases limit the number of parameters. */
const DELETED_AT_ONCE = 10_000;

/** Deletes offers. */
export async function deleteOffers(
  db: Writer,
  offers: readonly Pick<Offer, 'id' | 'table'>[],
): Promise<void> {
  for (const table of TABLES) {
    const ids = offers.filter((offer) => offer.table === table).map(({ id }) => id);
    for (let at = 0; at < ids.length; at += DELETED_AT_ONCE) {
      await db
        .deleteFrom(table)
        .where('id', 'in', ids.slice(at, at + DELETED_AT_ONCE))
        .execute();
    }
  }
}

/** Deletes everything that someone offers, anywhere. */
export async function deleteOffersBy(db: Writer, makerId: string): Promise<void> {
  await db.deleteFrom('document_invitation').where('invited_by', '=', makerId).execute();
  await db.deleteFrom('organization_invitation').where('invited_by', '=', makerId).execute();
  await db.deleteFrom('email_invitation').where('invited_by', '=', makerId).execute();
  await db.deleteFrom('document_link').where('created_by', '=', makerId).execute();
}
