/** What all operations that read comments have in common. */
export const READ_COMMENTS = {
  tag: 'Comments',
  scope: 'documents:read',
} as const;

/** What all operations that write comments have in common. */
export const WRITE_COMMENTS = { tag: 'Comments', scope: 'comments' } as const;
