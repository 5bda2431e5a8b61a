import { flatten, MAX_DEPTH, type OpenApi, type Schema } from './openapi.ts';

export interface Field {
  /** `data.permissions.admin`; items of an array are `data[].id`. */
  path: string;
  required: boolean;
  schema: Schema;
}

/** Lists all fields of an object with their full paths, each followed by its nested fields. */
export function fieldsOf(document: OpenApi, schema: Schema): Field[] {
  return within(document, schema, '', 0);
}

function within(document: OpenApi, schema: Schema, prefix: string, depth: number): Field[] {
  if (depth > MAX_DEPTH) return [];
  const flat = flatten(document, schema);
  if (flat.items) return within(document, flat.items, `${prefix}[]`, depth + 1);
  const branches = flat.anyOf ?? flat.oneOf;
  if (branches) return alternatives(document, branches, prefix, depth);
  return Object.entries(flat.properties ?? {}).flatMap(([name, property]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const field = flatten(document, property);
    const required = flat.required?.includes(name) ?? false;
    return [{ path, required, schema: field }, ...within(document, field, path, depth + 1)];
  });
}

/** Merges the fields of alternatives. A field is required only if every alternative requires it. */
function alternatives(document: OpenApi, all: Schema[], prefix: string, depth: number): Field[] {
  const fields = new Map<string, Field & { times: number }>();
  for (const schema of all) {
    for (const field of within(document, schema, prefix, depth + 1)) {
      const known = fields.get(field.path);
      const times = (known?.times ?? 0) + 1;
      fields.set(field.path, {
        ...field,
        required: (known?.required ?? true) && field.required,
        times,
      });
    }
  }
  return [...fields.values()].map(({ times, required, ...field }) => ({
    ...field,
    required: required && times === all.length,
  }));
}

/** Describes a type, such as `string or null`, `array of string` or `"read" | "write"`. */
export function typeOf(document: OpenApi, schema: Schema, depth = 0): string {
  const flat = flatten(document, schema);
  if (flat.const !== undefined) return JSON.stringify(flat.const);
  if (flat.enum) return flat.enum.map((value) => JSON.stringify(value)).join(' | ');
  const branches = flat.anyOf ?? flat.oneOf;
  if (branches && depth < MAX_DEPTH) {
    const separator = branches.every((branch) => branch.const !== undefined) ? ' | ' : ' or ';
    const types = branches.map((branch) => typeOf(document, branch, depth + 1));
    return [...new Set(types)].join(separator);
  }
  const type = [flat.type ?? (flat.properties ? 'object' : 'any')].flat().join(' or ');
  if (type === 'array' && flat.items && depth < MAX_DEPTH) {
    return `array of ${typeOf(document, flat.items, depth + 1)}`;
  }
  return flat.format ? `${type} (${flat.format})` : type;
}

/** Describes a value's limits, such as `1 to 100 · default 30`. */
export function limitsOf(schema: Schema): string[] {
  const limits = [
    range(schema.minimum, schema.maximum, ''),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' items'),
    schema.pattern && `matches ${schema.pattern}`,
    schema.default !== undefined && `default ${JSON.stringify(schema.default)}`,
  ];
  return limits.filter((limit) => typeof limit === 'string' && limit !== '') as string[];
}

function range(from: number | undefined, to: number | undefined, unit: string): string {
  const words = (value: number) => value.toLocaleString('en');
  if (from !== undefined && to !== undefined) return `${words(from)} to ${words(to)}${unit}`;
  if (from !== undefined) return `at least ${words(from)}${unit}`;
  if (to !== undefined) return `at most ${words(to)}${unit}`;
  return '';
}
