import type { Actor } from '../../context.ts';
import { FieldError, ServiceError } from '../../errors.ts';
import type { Role } from '../../organization/roles.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import type { Level, OwnerType, Visibility } from '../access-rules.ts';
import { KINDS, type Kind } from '../kind.ts';
import { allowsPublishing } from './review.ts';
import { withFreshness } from './review-service.ts';
import { isProtected, listLatestReviews, listManagers, listRequests } from './review-store.ts';

interface Change {
  kind: Kind;
  visibility: Visibility;
  /** Whether the write replaces the text. */
  isNewText: boolean;
  /** Whether an admin is accepting suggestions in the web app. */
  isAccepting: boolean;
  becomes: Visibility;
}

/**
 * Prevents a protected document from becoming public without an approval, and from being changed
 * directly while it is public.
 *
 * @throws UNPROCESSABLE
 */
export async function requireApproval(
  db: Reader,
  document: { id: string; ownerId: string; ownerType: OwnerType },
  change: Change,
): Promise<void> {
  const { visibility, becomes, isNewText, isAccepting } = change;
  const goesPublic = visibility !== 'public' && becomes === 'public';
  const changesPublic = visibility === 'public' && becomes === 'public' && isNewText;
  if (!goesPublic && !(changesPublic && !isAccepting)) return;
  const { id: documentId, ownerId } = document;
  if (!(await isProtected(db, { documentId, ownerId }))) return;
  if (changesPublic) {
    throw new FieldError(
      'UNPROCESSABLE',
      KINDS[change.kind].contentField,
      `this ${change.kind} is protected, so its text can’t be changed directly while it is public. ` +
        'Propose the change (in the API: "propose"); an admin accepts it in the web app.',
    );
  }
  if (!isNewText && (await isApproved(db, documentId))) return;
  throw new FieldError(
    'UNPROCESSABLE',
    'visibility',
    `this ${change.kind} is protected: it becomes public once an admin or a requested reviewer ` +
      'has approved its text in the web app, and no one requests changes.',
  );
}

/** Refuses a new public document in a protected organization. @throws UNPROCESSABLE */
export async function requireUnprotected(
  db: Reader,
  {
    ownerId,
    ownerType,
    kind,
    visibility,
  }: {
    ownerId: string;
    ownerType: OwnerType;
    kind: Kind;
    visibility: Visibility;
  },
): Promise<void> {
  if (visibility !== 'public' || ownerType !== 'organization') return;
  if (!(await isProtected(db, { documentId: '', ownerId }))) return;
  throw new FieldError(
    'UNPROCESSABLE',
    'visibility',
    `this organization’s documents need an approval before they are public. Create the ${kind} ` +
      'as internal or private, and ask for a review.',
  );
}

/**
 * Refuses to move a document that will be public into a protected organization without an approval,
 * and any document out of a protected organization unless an admin moves it.
 *
 * @param document.role the actor's role in the organization that owns the document
 * @throws FORBIDDEN, UNPROCESSABLE
 */
export async function requireMovable(
  db: Reader,
  document: { id: string; kind: Kind; ownerId: string; role: Role | null },
  to: { ownerId: string; visibility: Visibility },
): Promise<void> {
  const isGuarded = (ownerId: string) => isProtected(db, { documentId: '', ownerId });
  if (document.role !== 'admin' && (await isGuarded(document.ownerId))) {
    throw new ServiceError(
      'FORBIDDEN',
      'This organization’s documents need an approval before they are public, so only its admins ' +
        'can move them to another owner.',
    );
  }
  if (to.visibility !== 'public' || !(await isGuarded(to.ownerId))) return;
  if (await isApproved(db, document.id)) return;
  throw new FieldError(
    'UNPROCESSABLE',
    'owner',
    'that organization’s documents need an approval before they are public. Get the text ' +
      `approved, or make the ${document.kind} private first.`,
  );
}

async function isApproved(db: Reader, documentId: string): Promise<boolean> {
  const reviews = await withFreshness(db, documentId, await listLatestReviews(db, documentId));
  const asked = (await listRequests(db, documentId)).map(({ accountId }) => accountId);
  const judgements = reviews.map((review) => ({ ...review, isByPerson: review.via === 'web' }));
  return allowsPublishing(judgements, new Set([...asked, ...(await listManagers(db, documentId))]));
}

/** Tells whether an admin of the document acts in the web app. */
export function isAdminOnTheWeb({ via }: Actor, level: Level): boolean {
  return via.means === 'web' && level === 'admin';
}
