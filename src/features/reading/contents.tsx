import type { JSX } from 'preact';

export interface Heading {
  level: number;
  id: string;
  text: string;
}

interface Entry extends Heading {
  under: Entry[];
}

const MIN_HEADINGS = 3;

/** Returns the headings for a table of contents: levels 2 to 4, none if fewer than three. */
export function listedHeadings(headings: Heading[]): Heading[] {
  const listed = headings.filter(({ level }) => level >= 2 && level <= 4);
  return listed.length < MIN_HEADINGS ? [] : listed;
}

/** Renders headings as nested lists. A skipped level does not nest deeper. */
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
