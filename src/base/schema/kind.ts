/** The differences between kinds of documents. All other code is shared. */
export interface DocumentKind {
  kind: 'brief' | 'page';
  segment: string;
  /** The noun in OpenAPI titles, singular and plural. */
  title: string;
  titlePlural: string;
  /** Path segments between owner and name in its URL. */
  webSegments: readonly string[];
  /** Where the content is stored: in the row or the blob store. */
  stored: 'row' | 'blob';
  /** Describes the content in the API reference. */
  contentDescription: string;
  /** A short content, for examples. */
  contentExample: string;
  /** The name of the content field in requests and responses. */
  contentField: string;
  /** The largest content, in bytes of UTF-8. */
  contentLimitBytes: number;
  /** The largest JSON body of a request, in bytes. */
  bodyLimitBytes: number;
}

const KB = 1024;
const MB = 1024 * KB;

/** The kinds of documents (specification, parts "Size", "Briefs" and "Pages"). */
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

export type Kind = keyof typeof KINDS;

export const ALL_KINDS = Object.keys(KINDS) as Kind[];

/** An entry of {@link KINDS}, with literal types. */
export type AnyKind = (typeof KINDS)[Kind];
