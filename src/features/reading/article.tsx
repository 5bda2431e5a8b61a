import type { ComponentChildren, JSX } from 'preact';
import { type PrintedFacts, PrintedFactsLine } from './printed-facts.tsx';

interface Heading {
  level: number;
  id: string;
  text: string;
}

interface Entry extends Heading {
  under: Entry[];
}

const MIN_HEADINGS = 3;

/** Returns the headings for a table of contents: levels 2 to 4, none if fewer than three. */
function listedHeadings(headings: Heading[]): Heading[] {
  const listed = headings.filter(({ level }) => level >= 2 && level <= 4);
  return listed.length < MIN_HEADINGS ? [] : listed;
}

/** Renders headings as nested lists. A skipped level does not nest deeper. */
function Contents({ headings }: { headings: Heading[] }): JSX.Element {
  return <Entries entries={nest(headings)} />;
}

function Entries({ entries }: { entries: Entry[] }): JSX.Element {
  return (
    <ol>
      {entries.map(({ id, text, under }) => (
        <li>
          <a href={`#${encodeURIComponent(id)}`}>{text}</a>
          {under.length > 0 && <Entries entries={under} />}
        </li>
      ))}
    </ol>
  );
}

function nest(headings: Heading[]): Entry[] {
  const top: Entry[] = [];
  const open: Entry[] = [];
  for (const heading of headings) {
    const entry = { ...heading, under: [] };
    while (open.length > 0 && (open.at(-1) as Entry).level >= entry.level) open.pop();
    (open.at(-1)?.under ?? top).push(entry);
    open.push(entry);
  }
  return top;
}

/** A rendered brief. */
export interface ArticleContent {
  title: string;
  /** The sanitized body; undefined if the document is too complex to render, or late. */
  html: string | undefined;
  /** Whether the body is still being made. */
  isLate: boolean;
  /** The Markdown, shown when there is no body and none will come. */
  source: string;
  headings: Heading[];
  math: boolean;
  /** The estimated reading time; undefined if there is no body. */
  minutes: number | undefined;
}

/** Renders a brief with its table of contents in one margin and `children` in the other. */
export function Article(props: {
  content: ArticleContent;
  printed: PrintedFacts;
  /** Above and below the text, not printed. */
  above?: ComponentChildren;
  below?: ComponentChildren;
  /** The id of the brief, if the reader can tick its tasks. */
  tasksOf?: string | undefined;
  children?: ComponentChildren;
}): JSX.Element {
  const { content, printed, above, below, tasksOf, children } = props;
  const headings = content.html === undefined ? [] : listedHeadings(content.headings);
  return (
    <div class={children ? 'reading commented' : 'reading'}>
      {headings.length > 0 && <ContentsTwice headings={headings} />}
      <article data-tasks={tasksOf}>
        <PrintedFactsLine {...printed} />
        {above && <div class="above-text">{above}</div>}
        <Body content={content} />
        {below && <div class="below-text">{below}</div>}
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

/** Says that a document is being rendered, and lets the reader ask again. */
function BeingPrepared(): JSX.Element {
  return (
    <p class="notice">
      This document is being prepared. <a href="?">Try again</a>
    </p>
  );
}

function Body({ content }: { content: ArticleContent }): JSX.Element {
  if (content.isLate) {
    return (
      <>
        <h1 class="visually-hidden unless-printed">{content.title}</h1>
        <BeingPrepared />
      </>
    );
  }
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
