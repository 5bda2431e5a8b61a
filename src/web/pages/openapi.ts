/** The parts of an OpenAPI 3.1 document that the reference shows. */
export interface OpenApi {
  info?: { title?: string; version?: string; description?: string };
  tags?: { name: string; description?: string }[];
  paths?: Record<string, PathItem>;
  components?: {
    schemas?: Record<string, Schema>;
    parameters?: Record<string, Parameter>;
    responses?: Record<string, Response>;
    requestBodies?: Record<string, Body>;
  };
}

export type PathItem = { parameters?: Referable<Parameter>[] } & {
  [method in Method]?: Operation;
};

export const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
export type Method = (typeof METHODS)[number];

export interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  deprecated?: boolean;
  parameters?: Referable<Parameter>[];
  requestBody?: Referable<Body>;
  responses?: Record<string, Referable<Response>>;
  /** Required scopes by security scheme. */
  security?: Record<string, string[]>[];
  /** What the caller must be allowed to do, in words. */
  'x-permission'?: string;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
}

export interface Body {
  description?: string;
  required?: boolean;
  content?: Record<string, MediaType>;
}

export interface Response {
  description?: string;
  headers?: Record<string, { description?: string; schema?: Schema }>;
  content?: Record<string, MediaType>;
}

export interface MediaType {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { value?: unknown; summary?: string }>;
}

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  pattern?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

type Referable<T> = T | { $ref: string };

/** Schemas can be recursive. Nothing below this depth helps a reader. */
const MAX_DEPTH = 8;

/** Follows local references (`#/components/…`). Returns a dangling reference as it is. */
export function resolve<T extends object>(document: OpenApi, value: Referable<T>): T {
  let current: unknown = value;
  for (let step = 0; step < MAX_DEPTH && isReference(current); step++) {
    const keys = current.$ref.replace(/^#\//, '').split('/');
    let target: unknown = document;
    for (const key of keys) {
      const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
      target = (target as Record<string, unknown> | undefined)?.[name];
    }
    if (target === undefined) break;
    current = target;
  }
  return current as T;
}

function isReference(value: unknown): value is { $ref: string } {
  return typeof value === 'object' && value !== null && '$ref' in value;
}

/** Returns a schema with its references followed and its `allOf` merged. */
function flatten(document: OpenApi, schema: Schema): Schema {
  const resolved = resolve<Schema>(document, schema as Referable<Schema>);
  if (!resolved.allOf) return resolved;
  const parts = resolved.allOf.map((part) => flatten(document, part));
  return {
    ...resolved,
    type: 'object',
    properties: Object.assign({}, ...parts.map((part) => part.properties), resolved.properties),
    required: [...parts.flatMap((part) => part.required ?? []), ...(resolved.required ?? [])],
  };
}

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

const FORMAT_EXAMPLES: Record<string, unknown> = {
  uuid: '0195b2c4-7a10-7c3e-9f21-4d5e6f708192',
  'date-time': '2026-01-31T12:00:00.000Z',
  email: 'ada@example.com',
  uri: 'https://example.com/',
};

/** Returns the schema's own example, else a value generated from its type. */
export function exampleOf(
  document: OpenApi,
  schema: Schema,
  onlyRequired = false,
  depth = 0,
): unknown {
  const flat = flatten(document, schema);
  const given = flat.example ?? flat.examples?.[0] ?? flat.const ?? flat.default ?? flat.enum?.[0];
  if (given !== undefined) return given;
  const branch = (flat.anyOf ?? flat.oneOf)?.[0];
  if (depth > MAX_DEPTH) return null;
  if (branch) return exampleOf(document, branch, onlyRequired, depth + 1);
  const type = [flat.type].flat()[0] ?? (flat.properties ? 'object' : 'string');
  switch (type) {
    case 'object':
      return exampleObject(document, flat, onlyRequired, depth);
    case 'array':
      return flat.items ? [exampleOf(document, flat.items, onlyRequired, depth + 1)] : [];
    case 'integer':
    case 'number':
      return flat.minimum ?? 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return FORMAT_EXAMPLES[flat.format ?? ''] ?? 'string';
  }
}

function exampleObject(document: OpenApi, schema: Schema, onlyRequired: boolean, depth: number) {
  const all = Object.entries(schema.properties ?? {});
  const needed = all.filter(([name]) => schema.required?.includes(name));
  // A body with only optional fields still needs one.
  const chosen = onlyRequired ? (needed.length > 0 ? needed : all.slice(0, 1)) : all;
  return Object.fromEntries(
    chosen.map(([name, field]) => [name, exampleOf(document, field, onlyRequired, depth + 1)]),
  );
}

/** Returns the media type's own example, else one generated from its schema. */
export function exampleOfMedia(document: OpenApi, media: MediaType, onlyRequired = false): unknown {
  if (media.example !== undefined) return media.example;
  const named = Object.values(media.examples ?? {})[0]?.value;
  if (named !== undefined) return named;
  return media.schema && exampleOf(document, media.schema, onlyRequired);
}
