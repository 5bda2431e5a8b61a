/** By what lists are sorted, the latest first. Ids are in the order of creation. */
export const SORTS = ['changed', 'created'] as const;
export type Sort = (typeof SORTS)[number];
