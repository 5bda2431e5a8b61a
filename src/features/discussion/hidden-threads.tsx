import type { JSX } from 'preact';
import type { HiddenThreads } from '../../core/review/opening-service.ts';
import { documentPath, type Titled } from '../../surfaces/web/addresses.ts';
import { Day } from '../../surfaces/web/pages/format.tsx';
import { ButtonForm } from '../../surfaces/web/pages/parts.tsx';

/** Says how many threads readers don't see. */
export function hiddenInWords({ count }: HiddenThreads): string {
  return count === 1
    ? '1 earlier thread stays hidden from readers.'
    : `${count} earlier threads stay hidden from readers.`;
}

/** Returns the form that shows readers all threads. */
export function showThreadsForm(document: Titled, { since }: HiddenThreads) {
  const action = `${documentPath('share', document)}/threads`;
  return { action, fields: { document: document.id, since: '', from: since } };
}

/** Says which threads readers see, with a button that shows them the others. */
export function HiddenThreadsState(props: {
  document: Titled;
  hidden: HiddenThreads;
}): JSX.Element {
  const { document, hidden } = props;
  const { since, count } = hidden;
  return (
    <div class="hidden-threads">
      <p class="aside">
        Readers see threads opened since <Day at={since} />.{' '}
        {count === 1 ? '1 earlier one is hidden.' : `${count} earlier ones are hidden.`}
      </p>
      <ButtonForm
        {...showThreadsForm(document, hidden)}
        label={count === 1 ? 'Show the earlier thread' : 'Show earlier threads'}
        class="secondary small"
      />
    </div>
  );
}
