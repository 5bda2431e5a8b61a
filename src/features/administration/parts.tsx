import type { ComponentChildren, JSX } from 'preact';
import { formatSize } from '../../base/text/size.ts';
import {
  auditPathOf,
  documentPath,
  type OwnerName,
  quotasPathOf,
} from '../../surfaces/web/addresses.ts';
import { type Listed, Pager } from '../../surfaces/web/pages/pager.tsx';
import { VisibilityBadge } from '../../surfaces/web/pages/parts.tsx';
import { totalBytes } from './administration-schema.ts';
import type { SizedDocument, Usage } from './people-store.ts';

export interface Column {
  label: string;
  isNumber?: boolean;
  /** Whether its words can be long, so that they may break anywhere. */
  breaks?: boolean;
}

/**
 * Renders a table. On phones, each row is a block, in which the label of its column stands before
 * each cell but the first.
 *
 * @param table.rows the cells of each row, in the order of the columns
 */
export function FactsTable(table: {
  label: string;
  columns: readonly Column[];
  rows: readonly (readonly ComponentChildren[])[];
}): JSX.Element {
  return (
    <table class="facts-table stacked" aria-label={table.label}>
      <thead>
        <tr>
          {table.columns.map(({ label, isNumber }) => (
            <th scope="col" class={isNumber ? 'number' : undefined}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {table.rows.map((cells) => (
          <tr>
            {cells.map((cell, index) => {
              const { label, isNumber, breaks } = table.columns[index] as Column;
              return (
                <td
                  class={isNumber ? 'number' : breaks ? 'breaks' : undefined}
                  data-label={index > 0 ? label : undefined}
                >
                  <span>{cell}</span>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Renders a line with a search of names. */
export function SearchLine(props: {
  path: string;
  value: string;
  label: string;
  /** Sent with the search. */
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <search>
      <form class="search-line" action={props.path}>
        <input
          type="search"
          name="q"
          value={props.value}
          maxLength={254}
          placeholder={props.label}
          aria-label={props.label}
          autocomplete="off"
          data-shortcut="/"
        />
        {props.children}
        <button type="submit" class="secondary">
          Search
        </button>
      </form>
    </search>
  );
}

/** Renders the links to a list's other result pages. */
export function ListPager(props: {
  list: Omit<Listed<unknown>, 'items'>;
  path: string;
  /** Its search and its filter. */
  query: Readonly<Record<string, string>>;
}): JSX.Element {
  const given = Object.entries(props.query).filter(([, value]) => value !== '');
  return (
    <Pager
      label="Pages of the list"
      list={props.list}
      path={(page) => `${props.path}?${new URLSearchParams([...given, ['page', `${page}`]])}`}
    />
  );
}

/** Says what an owner stores. */
export function UsageFacts({ usage }: { usage: Usage }): JSX.Element {
  const { documents, currentBytes, trashBytes, historyBytes, fileBytes } = usage;
  return (
    <dl class="identity">
      <dt>Documents</dt>
      <dd>{documents}</dd>
      <dt>In all</dt>
      <dd>{formatSize(totalBytes(usage))}</dd>
      <dt>Current texts</dt>
      <dd>{formatSize(currentBytes)}</dd>
      <dt>Older texts</dt>
      <dd>{formatSize(historyBytes)}</dd>
      <dt>Trash</dt>
      <dd>{formatSize(trashBytes)}</dd>
      <dt>Files</dt>
      <dd>{formatSize(fileBytes)}</dd>
    </dl>
  );
}

/** Leads to what other parts of the administration have about an owner. */
export function OwnerLinks({ owner }: { owner: OwnerName }): JSX.Element {
  return (
    <>
      <a class="secondary" href={auditPathOf(owner)}>
        Audit trail of {owner.namespace}
      </a>
      <a class="secondary" href={quotasPathOf(owner.namespace)} data-dialog>
        Limits of {owner.namespace}
      </a>
    </>
  );
}

/** Lists the largest documents of an owner, without titles and texts. */
export function LargestDocuments(props: {
  owner: OwnerName;
  documents: readonly SizedDocument[];
}): JSX.Element | null {
  if (props.documents.length === 0) return null;
  return (
    <section aria-labelledby="largest">
      <h2 id="largest">Largest documents</h2>
      <FactsTable
        label="Largest documents"
        columns={[
          { label: 'Name', breaks: true },
          { label: 'Kind' },
          { label: 'Visibility' },
          { label: 'Size', isNumber: true },
        ]}
        rows={props.documents.map(({ name, kind, visibility, isTakenDown, bytes }) => [
          visibility === 'public' && !isTakenDown ? (
            <a href={documentPath('read', { kind, ownerNamespace: props.owner.namespace, name })}>
              {name}
            </a>
          ) : (
            name
          ),
          kind === 'brief' ? 'Brief' : 'Page',
          isTakenDown ? (
            <span class="badge warning">Taken down</span>
          ) : (
            <VisibilityBadge seenBy={visibility} />
          ),
          formatSize(bytes),
        ])}
      />
    </section>
  );
}
