import type { JSX } from 'preact';
import type { Revision } from '../../core/revision/revision.ts';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import { Avatar, PersonName } from '../../surfaces/web/pages/person.tsx';

/**
 * Renders a writer's avatar: an icon for programs, else the user's picture. Hidden from screen
 * readers, because the name is beside it.
 */
export function WriterSign({ author, via }: Pick<Revision, 'author' | 'via'>): JSX.Element {
  if (via === 'token' || via === 'application') {
    return (
      <span class="avatar agent" title="Saved by a program" aria-hidden="true">
        <Icon name="bot" />
      </span>
    );
  }
  if (author !== null) return <Avatar username={author} />;
  return (
    <span class="avatar" aria-hidden="true">
      <Icon name="user" />
    </span>
  );
}

/** Marks what an agent wrote: a program, with a token or as an application. */
export function AgentMark({ via, viaName }: Pick<Revision, 'via' | 'viaName'>): JSX.Element | null {
  if (via !== 'token' && via !== 'application') return null;
  const label = `with ${viaName ?? 'a program'} (${via})`;
  return (
    <span class="agent-mark" title={label}>
      {' '}
      <Icon name="bot" />
      <span class="visually-hidden"> {label}</span>
    </span>
  );
}

type Writer = Pick<Revision, 'author' | 'via' | 'viaName'> & Partial<Pick<Revision, 'coAuthors'>>;

/** Shows a writer such as `Ada Lovelace ada with Claude (application)`. */
export function WriterName(revision: Writer): JSX.Element {
  const { author } = revision;
  if (author === null) return <>{writerOf(revision)}</>;
  const { coAuthors = [] } = revision;
  const means = writerOf({ ...revision, coAuthors: [] }).slice(author.length);
  return (
    <>
      <PersonName username={author} />
      {means}
      {coAuthors.map((username, index) => (
        <>
          {index === coAuthors.length - 1 ? ' and ' : ', '}
          <PersonName username={username} />
        </>
      ))}
    </>
  );
}

/** Names everybody who wrote a revision. */
export function writersOf({ author, coAuthors = [] }: Omit<Writer, 'via' | 'viaName'>): string {
  return new Intl.ListFormat('en').format([author ?? 'A deleted account', ...coAuthors]);
}

/** Returns a writer such as `ada` or `ada with Claude (application)`. */
export function writerOf(revision: Writer): string {
  const { via, viaName } = revision;
  const person = writersOf(revision);
  if (via === null || via === 'web') return person;
  return `${person} with ${viaName ?? 'a program'} (${via})`;
}

/** The parts of a document that a revision can change. */
export const WHAT = {
  content: 'the text',
  name: 'the name',
  visibility: 'who can read it',
  owner: 'the owner',
} as const;

export function describeRevision({ number, changed, restoredFrom }: Revision): string {
  if (number === 1) return 'Created';
  if (restoredFrom !== null) return `Restored revision ${restoredFrom}`;
  const parts = changed.map((part) => WHAT[part]);
  if (parts.length === 0) return 'Saved without a change';
  return `Changed ${new Intl.ListFormat('en').format(parts)}`;
}
