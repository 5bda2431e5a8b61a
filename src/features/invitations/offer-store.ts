import { sql } from 'kysely';
import type { Kind } from '../../base/schema/kind.ts';
import type { LinkAccess, Permission, Standing } from '../../core/document/access-rules.ts';
import type { Role } from '../../core/owner/organization-access.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** The tables of offers. Their rows exist only while an offer is open. */
const TABLES = ['invitation', 'document_link'] as const;

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

/**
 * A pending invitation or a secret link to a document, with its maker's current standing. A membership
 * without a required second factor is part of that: offers wait until it counts again.
 */
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

interface MadeOffer {
  id: string;
  table: (typeof TABLES)[number];
  documentId: string | null;
  organizationId: string | null;
  makerId: string | null;
  recipientId: string | null;
  email: string | null;
  gives: Permission | LinkAccess | Role;
  note: string;
  expiresAt: string | null;
}

/**
 * Lists offers, including invitations that expired: those to an organization, then those to
 * documents, each newest first.
 */
export async function listOffers(db: Reader, scope: OfferScope): Promise<OfferRow[]> {
  const within = (maker: string) => {
    const isMakers = 'makerId' in scope && sql`${sql.ref(maker)} = ${scope.makerId}`;
    const isOfDocument = 'documentId' in scope && sql`"documentId" = ${scope.documentId}`;
    return sql.join(
      [isMakers, isOfDocument].filter((one) => one !== false),
      sql` and `,
    );
  };
  const made = sql<MadeOffer>`(
    select id, 'invitation' as "table", "documentId",
      "organizationId", "invitedBy" as "makerId", "recipientId",
      email, level as gives, '' as note, "expiresAt"
    from ${sql.table('invitation')} where ${within('invitedBy')}
    union all
    select id, 'document_link', "documentId", null, "createdBy", null, null, access, note, "expiresAt"
    from document_link where ${within('createdBy')}
  )`;
  let rows = db
    .selectFrom(made.as('offer'))
    // Offers of a document that is taken down wait for its return. The trash has none.
    .leftJoin('stored_document as document', 'document.id', 'offer.documentId')
    .innerJoin('owner', (join) =>
      join.on(
        'owner.id',
        '=',
        sql<string>`coalesce(document."ownerId", ${sql.ref('offer.organizationId')})`,
      ),
    )
    .leftJoin('organization', 'organization.id', 'owner.id')
    .leftJoin('owner as recipient', 'recipient.id', 'offer.recipientId')
    .leftJoin('stored_membership as membership', (join) =>
      join
        .onRef('membership.organizationId', '=', 'owner.id')
        .onRef('membership.accountId', '=', 'offer.makerId'),
    )
    .leftJoin('collaborator', (join) =>
      join
        .onRef('collaborator.documentId', '=', 'document.id')
        .onRef('collaborator.accountId', '=', 'offer.makerId'),
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
      'recipient.namespace as recipientUsername',
      'document.kind',
      'document.name as documentName',
      'document.visibility',
      'owner.id as ownerId',
      'owner.type as ownerType',
      'owner.namespace as ownerNamespace',
      'membership.role',
      'collaborator.permission',
      'organization.defaultBriefPermission',
    ]);
  if ('organizationId' in scope) rows = rows.where('owner.id', '=', scope.organizationId);
  const found = await rows
    .orderBy(sql`case when ${sql.ref('offer.documentId')} is null then 0 else 1 end`)
    .orderBy('offer.id', 'desc')
    .execute();
  return found.map(toOffer);
}

type FoundOffer = Omit<MadeOffer, 'organizationId' | 'recipientId'> &
  Omit<Standing, 'actorId' | 'visibility' | 'ownerDisabledAt' | 'takenDownAt' | 'link'> & {
    ownerNamespace: string;
    recipientUsername: string | null;
    kind: Kind | null;
    documentName: string | null;
    visibility: Standing['visibility'] | null;
  };

/** A check constraint makes each row an offer of one of the two kinds. */
function toOffer({ recipientUsername, makerId, role, ...row }: FoundOffer): OfferRow {
  const to = recipientUsername ?? row.email;
  if (row.documentId === null) return { ...row, to, makerRole: role } as OfferOfOrganization;
  // Offers of and to disabled accounts don't work, but they don't end (decision 014).
  const standing =
    makerId === null
      ? undefined
      : { ...row, role, actorId: makerId, ownerDisabledAt: null, takenDownAt: null };
  return { ...row, to, standing } as OfferOfDocument;
}

/** The most ids in one statement; databases limit the number of parameters. */
const DELETED_AT_ONCE = 10_000;

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
  await db.deleteFrom('invitation').where('invitedBy', '=', makerId).execute();
  await db.deleteFrom('document_link').where('createdBy', '=', makerId).execute();
}
