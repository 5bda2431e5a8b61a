import type { JSX } from 'preact';
import { documentPath } from '../../surfaces/web/addresses.ts';
import { Icon, type IconName } from '../../surfaces/web/pages/icons.tsx';
import { shownPath } from './import-rules.ts';
import type { ImportFate } from './import-service.ts';

/** How many references of a document are listed. */
const MAX_SHOWN = 20;

const OUTCOMES = {
  created: { icon: 'check', label: 'Imported' },
  uploaded: { icon: 'check', label: 'Uploaded' },
  skipped: { icon: 'undo-2', label: 'Skipped' },
  failed: { icon: 'circle-alert', label: 'Failed' },
} as const satisfies Record<ImportFate['outcome'], { icon: IconName; label: string }>;

/**
 * Lists what happened to each file. Always present, even if hidden, because scripts add a row for
 * each file.
 */
export function ImportResults({ fates }: { fates: readonly ImportFate[] }): JSX.Element {
  return (
    <section aria-labelledby="fates-title" id="fates" hidden={fates.length === 0}>
      <h2 id="fates-title">Import results</h2>
      <p role="status" data-fates-summary>
        {fates.length > 0 && summaryOf(fates)}
      </p>
      <table class="fates">
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col">Outcome</th>
          </tr>
        </thead>
        <tbody>
          {fates.map((fate) => (
            <FateRow fate={fate} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function FateRow({ fate }: { fate: ImportFate }): JSX.Element {
  const { icon, label } = OUTCOMES[fate.outcome];
  return (
    <tr data-outcome={fate.outcome}>
      <td>{fate.path}</td>
      <td>
        <span class="outcome">
          <Icon name={icon} />
          {label}
        </span>{' '}
        <Details fate={fate} />
      </td>
    </tr>
  );
}

function Details({ fate }: { fate: ImportFate }): JSX.Element {
  switch (fate.outcome) {
    case 'created':
      return (
        <>
          as{' '}
          <a href={documentPath('read', { ...fate, ownerNamespace: fate.owner })}>
            {fate.owner}/{fate.name}
          </a>
          <Unresolved references={fate.unresolved} />
        </>
      );
    case 'uploaded':
      return (
        <>
          as <a href={fate.url}>a file</a>
        </>
      );
    default:
      return <>because it {fate.reason}</>;
  }
}

/** Lists what a document refers to that wasn't found. */
function Unresolved({ references }: { references: readonly string[] }): JSX.Element | null {
  if (references.length === 0) return null;
  const shown = references.slice(0, MAX_SHOWN);
  const more = references.length - shown.length;
  return (
    <p class="hint">
      Not found:{' '}
      {shown.map((reference, index) => (
        <>
          {index > 0 && ', '}
          <code>{shownPath(reference)}</code>
        </>
      ))}
      {more > 0 && ` and ${more} more`}
    </p>
  );
}

/** Returns a summary such as `3 imported, 2 uploaded, 1 skipped, 0 failed`. */
function summaryOf(fates: readonly ImportFate[]): string {
  return Object.entries(OUTCOMES)
    .map(([outcome, { label }]) => {
      const number = fates.filter((fate) => fate.outcome === outcome).length;
      return `${number} ${label.toLowerCase()}`;
    })
    .join(', ');
}
