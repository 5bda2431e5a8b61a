import type { Kind } from '../../base/schema/kind.ts';
import { readLabelLines } from '../../base/schema/label.ts';
import type { Visibility } from '../../base/schema/visibility.ts';

/** The conditions that a listed document meets. */
export interface LibraryFilter {
  kind?: Kind | undefined;
  visibility?: Visibility | undefined;
  /** The key of a label. */
  label?: string | undefined;
  /** A namespace. */
  owner?: string | undefined;
  /** In lower case; owner, name and title must contain them. */
  words?: readonly string[];
  /** Whether the reader collaborates on it but neither owns nor created it. */
  isShared?: boolean | undefined;
  /** A time as the database stores it; the document must have changed later. */
  changedAfter?: string | undefined;
}

/** The fields of a document, and of its reader's standing, that filters look at. */
interface Filtered {
  kind: Kind;
  visibility: Visibility;
  ownerId: string;
  ownerNamespace: string;
  name: string;
  title: string | null;
  labelLines: string | null;
  updatedAt: string;
  createdBy: string | null;
  /** The reader, and the reader's own permission. */
  actorId: string;
  permission: string | null;
}

/** Tells whether a document meets the conditions of a list. */
export function isListed(row: Filtered, filter: LibraryFilter): boolean {
  const { kind, visibility, label, owner, words = [], isShared, changedAfter } = filter;
  const named = `${row.ownerNamespace} / ${row.name} ${row.title ?? ''}`.toLowerCase();
  const labels = () => readLabelLines(row.labelLines).map((one) => one.toLowerCase());
  return (
    (kind === undefined || row.kind === kind) &&
    (visibility === undefined || row.visibility === visibility) &&
    (owner === undefined || row.ownerNamespace === owner) &&
    (label === undefined || labels().includes(label)) &&
    (!isShared || isSharedWithReader(row)) &&
    (changedAfter === undefined || row.updatedAt > changedAfter) &&
    words.every((word) => named.includes(word))
  );
}

function isSharedWithReader({ permission, actorId, ownerId, createdBy }: Filtered): boolean {
  return permission !== null && ownerId !== actorId && createdBy !== actorId;
}
