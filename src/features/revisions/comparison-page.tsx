import type { JSX } from 'preact';
import type { Comparison } from '../../base/text/comparison.ts';
import { shorten } from '../../base/text/shorten.ts';
import { shownTitle } from '../../core/document/shown-title.ts';
import type { Revision } from '../../core/revision/revision.ts';
import { documentPath, revisionPath, shownPath } from '../../surfaces/web/addresses.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { formatDay, Moment } from '../../surfaces/web/pages/format.tsx';
import { ButtonForm, PageHead } from '../../surfaces/web/pages/parts.tsx';
import { Differences } from './differences.tsx';
import { type HistoryDocument, restoring } from './history-page.tsx';
import { WriterName, WriterSign, writersOf } from './revision-parts.tsx';

/** Two revisions of a document to compare. */
export interface ComparisonPage {
  document: HistoryDocument;
  from: Revision;
  to: Revision;
  comparison: Comparison | undefined;
  /** The revisions to choose from, newest first; others can be compared by their address. */
  choices: readonly Revision[];
  rights: { write: boolean };
}

/** Shows how two revisions differ: side by side on wide windows, else one below the other. */
export function comparisonPage(page: ComparisonPage): AppPage {
  const { document, from, to, comparison } = page;
  const title = `Changes in ${shownTitle(document)}`;
  return {
    title: `${title}, revisions ${from.number} to ${to.number}`,
    stylesheets: ['comparison.css'],
    children: (
      <div class="sheet wide">
        <PageHead title={title}>
          {from.hasText && to.hasText && (
            <a class="secondary small needs-script" href={renderedPath(page)}>
              {document.kind === 'brief' ? 'In the text' : 'In the page'}
            </a>
          )}
          <a class="secondary small" href={documentPath('history', document)}>
            History
          </a>
          <a class="secondary small" href={documentPath('read', document)}>
            Current text
          </a>
        </PageHead>
        <Choose page={page} />
        <div class="comparison-heads">
          <Head page={page} revision={from} />
          <Head page={page} revision={to} />
        </div>
        {comparison ? <Differences comparison={comparison} /> : <Gone page={page} />}
      </div>
    ),
  };
}

/** Returns where the changes are shown in the rendered text (`client/changes-link.ts`), or page. */
function renderedPath({ document, from, to }: ComparisonPage): string {
  if (document.kind === 'page') return shownPath(document, from.number, to.number);
  const isCurrent = to.number === document.version;
  const path = isCurrent ? documentPath('read', document) : revisionPath(document, to.number);
  return `${path}#changes=${from.number}-${to.number}`;
}

/** Renders the form that chooses the revisions. */
function Choose({ page: { document, choices, from, to } }: { page: ComparisonPage }): JSX.Element {
  const field = (name: string, label: string, chosen: Revision) => {
    const isListed = choices.some(({ number }) => number === chosen.number);
    return (
      <label>
        {label}{' '}
        <select name={name}>
          {[...choices, ...(isListed ? [] : [chosen])].map((revision) => (
            <option value={revision.number} selected={revision.number === chosen.number}>
              {nameOf(revision)}
            </option>
          ))}
        </select>
      </label>
    );
  };
  return (
    <form class="comparison-choice" action={documentPath('history', document)}>
      {field('from', 'From', from)}
      {field('to', 'to', to)}
      <button type="submit" class="secondary small">
        Compare
      </button>
    </form>
  );
}

/** Names a revision in a menu: `8, ada, 28 November 2026, Fix the figures`. */
function nameOf(revision: Revision): string {
  const { number, message, createdAt } = revision;
  const named = [`${number}`, writersOf(revision), formatDay(createdAt)];
  return [...named, ...(message === null ? [] : [shorten(message, MAX_NAME)])].join(', ');
}

/** The longest message in a menu, in UTF-16 code units. */
const MAX_NAME = 40;

function Head({ page, revision }: { page: ComparisonPage; revision: Revision }): JSX.Element {
  const { document, rights } = page;
  const { number, message, createdAt, hasText } = revision;
  const isCurrent = number === document.version;
  return (
    <section class="comparison-head" aria-label={`Revision ${number}`}>
      <WriterSign {...revision} />
      <div>
        <p>
          <a href={isCurrent ? documentPath('read', document) : revisionPath(document, number)}>
            Revision {number}
          </a>
          {isCurrent && ', current'}
        </p>
        <p class="aside">
          <WriterName {...revision} />, <Moment at={createdAt} />
        </p>
        {message !== null && <p class="aside">{message}</p>}
      </div>
      {rights.write && hasText && !isCurrent && (
        <ButtonForm
          action={documentPath('history', document)}
          fields={restoring(document, number)}
          label="Restore"
          name={`Restore revision ${number}`}
          class="secondary small"
        />
      )}
    </section>
  );
}

function Gone({ page: { from, to } }: { page: ComparisonPage }): JSX.Element {
  const gone = [from, to].filter(({ hasText }) => !hasText).map(({ number }) => number);
  return (
    <p>
      {gone.length === 2
        ? `The texts of revisions ${gone[0]} and ${gone[1]} are no longer stored.`
        : `The text of revision ${gone[0]} is no longer stored.`}
    </p>
  );
}
