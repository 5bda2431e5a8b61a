/** The orders of lists, latest first. Ids are in order of creation. */
export const SORTS = ['changed', 'created'] as const;
export type Sort = (typeof SORTS)[number];
