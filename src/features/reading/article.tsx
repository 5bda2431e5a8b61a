import type { ComponentChildren, JSX } from 'preact';
import { Contents, type Heading, listedHeadings } from './contents.tsx';
import { type PrintedFacts, PrintedFactsLine } from './printed-facts.tsx';

/** A rendered brief. */
export interface ArticleContent {
  title: string;
  /** The sanitized body; undefined when the document was too complex to render. */
  html: string | undefined;
  /** The Markdown, shown when there is no body. */
  source: string;
  headings: Heading[];
  /** Whether it has formulas. */
  math: boolean;
  /** The estimated reading time; undefined if there is no body. */
  minutes: number | undefined;
}

/** Renders a brief with its table of contents in one margin and `children` in the other. */
export function Article(props: {
  content: ArticleContent;
  printed: PrintedFacts;
  /** Above the text, not printed. */
  above?: ComponentChildren;
  children?: ComponentChildren;
}): JSX.Element {
  const { content, printed, above, children } = props;
  const headings = content.html === undefined ? [] : listedHeadings(content.headings);
  return (
    <div class={children ? 'reading commented' : 'reading'}>
      {headings.length > 0 && <ContentsTwice headings={headings} />}
      <article>
        <PrintedFactsLine {...printed} />
        {above}
        <Body content={content} />
      </article>
      {children}
    </div>
  );
}

/**
 * Renders the table of contents twice: folded above the document, and open in the margin. The
 * styles show one of the two.
 */
function ContentsTwice({ headings }: { headings: Heading[] }): JSX.Element {
  return (
    <>
      <details class="contents folded-contents">
        <summary>Contents</summary>
        <nav aria-label="Contents">
          <Contents headings={headings} />
        </nav>
      </details>
      <nav class="contents margin-contents" aria-label="Contents" data-contents>
        <Contents headings={headings} />
      </nav>
    </>
  );
}

function Body({ content }: { content: ArticleContent }): JSX.Element {
  if (content.html === undefined) {
    return (
      <>
        <h1 class="visually-hidden unless-printed">{content.title}</h1>
        <p class="notice">This document is too complex to render, so this is its Markdown.</p>
        <pre class="plain-source">{content.source}</pre>
      </>
    );
  }
  const hasTitle = content.headings.some(({ level }) => level === 1);
  return (
    <>
      {content.minutes !== undefined && <p class="reading-time">{content.minutes} min read</p>}
      {!hasTitle && <h1 class="visually-hidden unless-printed">{content.title}</h1>}
      <div class="prose" dangerouslySetInnerHTML={{ __html: content.html }} />
    </>
  );
}
