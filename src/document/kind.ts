/** What differs between the kinds of document; everything else is one code. */
export interface DocumentKind {
  kind: 'brief' | 'page';
  /** The segment of its routes. */
  segment: string;
  /** The noun in titles, singular and plural. */
  title: string;
  titlePlural: string;
  /** Segments between owner and name in its web address. */
  webSegments: readonly string[];
  /** Where the content is kept: with the row, or in the blob store. */
  stored: 'row' | 'blob';
  /** What the content is, in words. */
  contentDescription: string;
  /** A short content, for examples. */
  contentExample: string;
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
    webSegments: [],
    stored: 'row',
    contentDescription: 'Markdown',
    contentExample: '# Release notes\n\nWhat is new.\n',
    contentField: 'content',
    contentLimitBytes: 900 * KB,
    bodyLimitBytes: MB,
  },
  page: {
    kind: 'page',
    segment: 'pages',
    title: 'Page',
    titlePlural: 'Pages',
    webSegments: ['pages'],
    stored: 'blob',
    contentDescription: 'One HTML document with all styles, scripts and assets inline',
    contentExample: '<!doctype html><title>Release notes</title><h1>What is new</h1>',
    contentField: 'html',
    contentLimitBytes: 5 * MB,
    bodyLimitBytes: 6 * MB,
  },
} as const satisfies Record<string, DocumentKind>;

/** The kinds of document. */
export type Kind = keyof typeof KINDS;
