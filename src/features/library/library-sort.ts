/**
 * The orders of lists: by time, latest first; by title, from A. The order of ids is the order of
 * creation.
 */
export const SORTS = ['changed', 'created', 'title'] as const;
export type Sort = (typeof SORTS)[number];

/** A position in a list: the value that the list is sorted by, then the id. */
export interface Position {
  key: string;
  id: string;
}

/** The fields of a position. */
interface Sorted {
  id: string;
  updatedAt: string;
  title: string | null;
  name: string;
}

/** Returns a document's position in a list. */
export function positionOf(sort: Sort, { id, updatedAt, title, name }: Sorted): Position {
  return { key: sort === 'title' ? titleKey({ title, name }) : updatedAt, id };
}

/** Returns the title by which lists are sorted. Lower-cases only ASCII, as both databases do. */
export function titleKey({ title, name }: Pick<Sorted, 'title' | 'name'>): string {
  return (title ?? name).replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
