import { KINDS, type Kind } from '../../base/schema/kind.ts';
import { parseLabel } from '../../base/schema/label.ts';
import { VISIBILITIES } from '../../base/schema/visibility.ts';
import { SORTS } from './library-sort.ts';
import type { ListFilter } from './list-filter.ts';

const ALL_KINDS = Object.keys(KINDS) as Kind[];

/** Reads what a list is filtered and sorted by. Unknown values are left out. */
export function readListFilter(query: unknown): ListFilter {
  const asked = query as Record<string, unknown>;
  const label = readText(asked.label);
  const parsed = label === undefined ? undefined : parseLabel(label);
  return {
    kind: readOneOf(ALL_KINDS, asked.kind),
    visibility: readOneOf(VISIBILITIES, asked.visibility),
    owner: readText(asked.owner)?.trim().toLowerCase(),
    label: parsed && 'label' in parsed ? parsed.label : undefined,
    sort: readOneOf(SORTS, asked.sort),
    q: readText(asked.q)?.trim(),
  };
}

function readOneOf<Value extends string>(
  values: readonly Value[],
  value: unknown,
): Value | undefined {
  return values.find((one) => one === value);
}

/** Returns a parameter that is given once and not empty. */
export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
