import type { JSX } from 'preact';
import { Contents, type Heading, listedHeadings } from './contents.tsx';

/** A brief as it is laid out. */
export interface ArticleContent {
  title: string;
  /** The sanitized body; undefined when the document was too costly to lay out. */
  html: string | undefined;
  /** The Markdown, shown only where there is no body. */
  source: string;
  headings: Heading[];
}

/** A brief to read, with its contents beside it or folded above. */
export function Article({ content }: { content: ArticleContent }): JSX.Element {
  const headings = content.html === undefined ? [] : listedHeadings(content.headings);
  return (
    <div class="reading">
      {headings.length > 0 && <ContentsTwice headings={headings} />}
      <Body content={content} />
    </div>
  );
}

/** Folded above the document and open in the margin; styles show the one that there is room for. */
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
      <article>
        <h1 class="visually-hidden">{content.title}</h1>
        <p class="notice">
          This document is too intricate to lay out, so here it is as its author wrote it.
        </p>
        <pre class="plain-source">{content.source}</pre>
      </article>
    );
  }
  const hasTitle = content.headings.some(({ level }) => level === 1);
  return (
    <article>
      {!hasTitle && <h1 class="visually-hidden">{content.title}</h1>}
      <div class="prose" dangerouslySetInnerHTML={{ __html: content.html }} />
    </article>
  );
}
