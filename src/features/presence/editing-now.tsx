import type { JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { type Addressed, documentPath } from '../../surfaces/web/addresses.ts';
import { Avatar, DisplayNames, PersonName } from '../../surfaces/web/pages/person.tsx';
import type { Editor } from './editing-service.ts';

export type EditingPlace = 'editor' | 'reading';

/** The most editors to name. If there are more, only one is named. */
const NAMED = 2;

/**
 * Shows who else is editing a document. The script updates it (`surfaces/web/client/app/editing-now.ts`).
 *
 * @param props.document absent in the editor, whose form names it
 */
export function EditingNow(props: {
  document?: Addressed;
  editors: readonly Editor[];
  place: EditingPlace;
}): JSX.Element {
  const { document, editors, place } = props;
  return (
    <p
      class="editing-now"
      id="editing-now"
      role="status"
      data-path={document && documentPath('editing', document)}
    >
      <Editors editors={editors} place={place} />
    </p>
  );
}

/** Returns the content of {@link EditingNow} as HTML. */
export function renderEditors(editors: readonly Editor[], place: EditingPlace): string {
  return renderToString(<Editors editors={editors} place={place} />);
}

function Editors(props: { editors: readonly Editor[]; place: EditingPlace }): JSX.Element | null {
  const { editors, place } = props;
  if (editors.length === 0) return null;
  const named = editors.slice(0, editors.length > NAMED ? NAMED - 1 : NAMED);
  const others = editors.length - named.length;
  const names = new Map(
    named.flatMap(({ username, displayName }) =>
      displayName === null ? [] : [[username, displayName] as const],
    ),
  );
  return (
    <DisplayNames.Provider value={names}>
      {named.map(({ username }) => (
        <Avatar username={username} />
      ))}
      <span class="label">
        {named.map(({ username }, index) => (
          <>
            {index > 0 && ' and '}
            <PersonName username={username} />
          </>
        ))}
        {others > 0 && ` and ${others} others`}
        {editors.length === 1 ? ' is editing' : ' are editing'}
        {place === 'editor' ? ' too' : ' now'}
      </span>
    </DisplayNames.Provider>
  );
}
