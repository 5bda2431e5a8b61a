import type { JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Means } from '../../base/schema/means.ts';
import { DOINGS, type Doing } from '../../core/presence.ts';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import { Avatar, DisplayNames, PersonName } from '../../surfaces/web/pages/person.tsx';

/** Someone at a document: a person in a browser, or a program. */
export interface Person {
  accountId: string;
  username: string;
  displayName: string | null;
  via: Means;
  /** The program's name; `null` if the reader doesn't learn it. */
  viaName: string | null;
  doing: Doing;
  line: number | null;
}

/** What a page shows of the people at its document. */
export interface ShownPeople {
  /** The content of `#people`; empty if nobody is there. */
  html: string;
  /** Where people edit: the source line, and the name. */
  places: [number, string][];
}

/** How many pictures to show. The list that unfolds names everyone. */
const PICTURES = 3;

/** Whom to name first. */
const ORDER: readonly Doing[] = ['edits', 'comments', 'waits', 'reads'];

export function showPeople(all: readonly Person[]): ShownPeople {
  const people = eachOnce(all);
  const places = people.flatMap(({ via, doing, line, username }): [number, string][] =>
    via === 'web' && doing === 'edits' && line !== null ? [[line, username]] : [],
  );
  return { html: people.length > 0 ? renderToString(<People people={people} />) : '', places };
}

/** Names someone with several pages or calls once, with what they do most. */
function eachOnce(all: readonly Person[]): Person[] {
  const found = new Map<string, Person>();
  for (const each of all) {
    const key = JSON.stringify([each.accountId, each.via, each.viaName]);
    const known = found.get(key);
    if (!known || DOINGS.indexOf(each.doing) > DOINGS.indexOf(known.doing)) found.set(key, each);
  }
  return [...found.values()].sort((a, b) => ORDER.indexOf(a.doing) - ORDER.indexOf(b.doing));
}

function People({ people }: { people: readonly Person[] }): JSX.Element {
  const [first] = people as [Person];
  const more = people.length - 1;
  const pictures = people.slice(0, PICTURES);
  const names = new Map(
    people.flatMap(({ username, displayName }) =>
      displayName === null ? [] : [[username, displayName] as const],
    ),
  );
  return (
    <DisplayNames.Provider value={names}>
      <summary class="action" title={people.map(sentenceOf).join('\n')}>
        <span class="pictures">
          {pictures.map((each) => (
            <Picture person={each} />
          ))}
        </span>
        {more > 0 && <span class="people-more" aria-hidden="true">{`+${more}`}</span>}
        <span class="label">
          {sentenceOf(first)}
          {more > 0 && `, ${more} more`}
        </span>
      </summary>
      <ul>
        {people.map((each) => (
          <li>
            <Picture person={each} />
            <span>
              <Name person={each} /> {wordsFor(each)}
            </span>
          </li>
        ))}
      </ul>
    </DisplayNames.Provider>
  );
}

function Picture({ person: { via, username } }: { person: Person }): JSX.Element {
  if (via === 'web') return <Avatar username={username} />;
  return (
    <span class="avatar agent" aria-hidden="true">
      <Icon name="bot" />
    </span>
  );
}

function Name({ person }: { person: Person }): JSX.Element {
  if (person.via === 'web') return <PersonName username={person.username} />;
  return (
    <>
      <bdi>{nameOf(person)}</bdi> <span class="username">{`of ${person.username}`}</span>
    </>
  );
}

function nameOf({ via, viaName, username }: Person): string {
  if (via === 'web') return username;
  if (viaName === null) return 'A program';
  return via === 'token' ? `${viaName} (token)` : viaName;
}

function wordsFor({ via, doing }: Person): string {
  if (doing === 'waits') return 'waits for feedback';
  if (doing === 'comments') return 'is commenting';
  if (doing === 'reads') return 'is reading';
  return via === 'web' ? 'is editing' : 'is writing';
}

const sentenceOf = (person: Person) => `${nameOf(person)} ${wordsFor(person)}`;
