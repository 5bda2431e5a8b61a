import type { JSX } from 'preact';

export interface Heading {
  level: number;
  id: string;
  text: string;
}

interface Entry extends Heading {
  under: Entry[];
}

/** Fewer headings than this are in view anyway. */
const WORTH_LISTING = 3;

/** The headings that a table of contents lists: levels 2 to 4, and none when there are too few. */
export function listedHeadings(headings: Heading[]): Heading[] {
  const listed = headings.filter(({ level }) => level >= 2 && level <= 4);
  return listed.length < WORTH_LISTING ? [] : listed;
}

/** The headings as lists within lists; a level that was skipped takes no step of its own. */
export function Contents({ headings }: { headings: Heading[] }): JSX.Element {
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
