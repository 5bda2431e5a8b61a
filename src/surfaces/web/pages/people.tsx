import type { JSX } from 'preact';

/** The place of who else is at a document. The script fills it (`features/presence/client/people.ts`). */
export function PeoplePlace(): JSX.Element {
  return <details class="people" id="people" data-menu hidden />;
}
