/** What differs between the kinds of document; everything else is one code. */
export interface DocumentKind {
  kind: 'brief' | 'page';
  /** The segment of its routes. */
  segment: string;
  /** The noun in titles, singular and plural. */
  title: string;
  titlePlural: string;
  /** The field that holds the content in requests and answers. */
  contentField: string;
  /** The most content, in bytes of UTF-8. */
  contentLimitBytes: number;
  /** The most JSON a request may carry, in bytes. */
  bodyLimitBytes: number;
}

const KB = 1024;
const MB = 1024 * KB;

/** The kinds that are served (specification, parts "Size", "Briefs" and "Pages"). */
export const KINDS = {
  brief: {
    kind: 'brief',
    segment: 'briefs',
    title: 'Brief',
    titlePlural: 'Briefs',
    contentField: 'content',
    contentLimitBytes: 900 * KB,
    bodyLimitBytes: MB,
  },
} as const satisfies Record<string, DocumentKind>;

/** The kinds of document. */
export type Kind = keyof typeof KINDS;
