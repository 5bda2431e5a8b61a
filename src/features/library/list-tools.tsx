import type { ComponentChildren, JSX } from 'preact';
import { VISIBILITIES } from '../../base/schema/visibility.ts';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import { visibilityWords } from '../../surfaces/web/pages/parts.tsx';
import type { LibraryItem } from './library-service.ts';
import { type ListFilter, listAddress, listParameters } from './list-filter.ts';

/** A list with its filters, as its tools show it. */
export interface FilteredList {
  path: string;
  /** Other parameters of its address. */
  base?: Readonly<Record<string, string>>;
  filter: ListFilter;
  /** Owners and labels to choose from. */
  owners: readonly string[];
  labels: readonly string[];
  /** The available orders, the default first. */
  sorts: readonly SortChoice[];
}

interface SortChoice {
  sort: ListFilter['sort'];
  label: string;
}

const OTHER_SORTS = [
  { sort: 'created', label: 'Last created first' },
  { sort: 'title', label: 'By title' },
] as const;

export const LIST_SORTS: readonly SortChoice[] = [
  { sort: undefined, label: 'Last changed first' },
  ...OTHER_SORTS,
];

export const SEARCH_SORTS: readonly SortChoice[] = [
  { sort: undefined, label: 'Best match first' },
  { sort: 'changed', label: 'Last changed first' },
  ...OTHER_SORTS,
];

const KINDS = [
  { kind: undefined, label: 'All kinds' },
  { kind: 'brief', label: 'Briefs' },
  { kind: 'page', label: 'Pages' },
] as const;

/** Renders the tools that filter and sort a list. They are links and a form: no script needed. */
export function ListTools(props: {
  list: FilteredList;
  /** The form with the filter or search field. */
  children: ComponentChildren;
}): JSX.Element {
  const { list } = props;
  return (
    <>
      <div class="list-tools">
        {props.children}
        <nav class="segments" aria-label="Kinds" data-filtered>
          {KINDS.map(({ kind, label }) => (
            <a
              href={addressWith(list, { kind })}
              aria-current={list.filter.kind === kind ? 'true' : undefined}
            >
              {label}
            </a>
          ))}
        </nav>
        <ListOptions list={list} />
      </div>
      <div data-filtered>
        <ActiveFilters list={list} />
      </div>
    </>
  );
}

/** Renders a list's parameters except `q` as hidden fields of its form. */
export function FilterFields({ list }: { list: FilteredList }): JSX.Element {
  const { base = {}, filter } = list;
  return (
    <>
      {[...listParameters(base, { ...filter, q: undefined })].map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

/** Renders the menu of links that sort and filter a list. */
function ListOptions({ list }: { list: FilteredList }): JSX.Element {
  const { filter, owners, labels, sorts } = list;
  const chosen = sorts.find(({ sort }) => sort === filter.sort) ?? sorts[0];
  return (
    <details class="menu" data-menu>
      <summary class="secondary small">Sort and filter</summary>
      <div class="menu-items list-options" data-filtered>
        <ul aria-label="Sort">
          {sorts.map((one) => (
            <Option
              href={addressWith(list, { sort: one.sort })}
              isHere={one === chosen}
              label={one.label}
            />
          ))}
        </ul>
        <ul aria-label="Who can read">
          {[undefined, ...VISIBILITIES].map((visibility) => (
            <Option
              href={addressWith(list, { visibility })}
              isHere={filter.visibility === visibility}
              label={visibility ? `${visibilityWords(visibility).label} only` : 'Any visibility'}
            />
          ))}
        </ul>
        <Choices list={list} name="owner" title="Owner" any="Any owner" values={owners} />
        <Choices list={list} name="label" title="Label" any="Any label" values={labels} />
      </div>
    </details>
  );
}

function Choices(props: {
  list: FilteredList;
  name: 'owner' | 'label';
  title: string;
  any: string;
  values: readonly string[];
}): JSX.Element | null {
  const { list, name, values } = props;
  if (values.length === 0) return null;
  const chosen = list.filter[name];
  return (
    <ul aria-label={props.title}>
      {[undefined, ...values].map((value) => (
        <Option
          href={addressWith(list, { [name]: value })}
          isHere={chosen?.toLowerCase() === value?.toLowerCase()}
          label={value ?? props.any}
        />
      ))}
    </ul>
  );
}

function Option(option: { href: string; isHere: boolean; label: string }): JSX.Element {
  return (
    <li>
      <a class="menu-item" href={option.href} aria-current={option.isHere ? 'true' : undefined}>
        <Icon name="check" class={option.isHere ? 'chosen' : 'unchosen'} />
        <span>{option.label}</span>
      </a>
    </li>
  );
}

/** Renders the active filters except the kind, each as a link that removes it. */
function ActiveFilters({ list }: { list: FilteredList }): JSX.Element | null {
  const { visibility, owner, label } = list.filter;
  const active = [
    { name: 'label', says: label && `Label: ${label}` },
    { name: 'owner', says: owner && `Owner: ${owner}` },
    { name: 'visibility', says: visibility && `${visibilityWords(visibility).label} only` },
  ].filter(({ says }) => says);
  if (active.length === 0) return null;
  return (
    <ul class="labels active-filters" aria-label="Filters">
      {active.map(({ name, says }) => (
        <li>
          <a class="label-chip" href={addressWith(list, { [name]: undefined })}>
            <span>{says}</span>
            <Icon name="x" />
            <span class="visually-hidden">Remove this filter</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function addressWith({ path, base = {}, filter }: FilteredList, change: ListFilter): string {
  return listAddress(path, base, { ...filter, ...change });
}

/** The most owners and labels that a menu offers. */
const OFFERED = 15;

/** Returns the owners to choose from: those given and those of the shown documents. */
export function ownersOf(items: readonly LibraryItem[], known: readonly string[]): string[] {
  return unique([...known, ...items.map(({ ownerNamespace }) => ownerNamespace)]);
}

/** Returns the labels to choose from: those of the shown documents. */
export function labelsOf(items: readonly LibraryItem[]): string[] {
  return unique(items.flatMap(({ labels }) => labels)).sort((a, b) =>
    a.toLowerCase() < b.toLowerCase() ? -1 : 1,
  );
}

function unique(texts: readonly string[]): string[] {
  const byKey = new Map(texts.map((text) => [text.toLowerCase(), text]));
  return [...byKey.values()].slice(0, OFFERED);
}
