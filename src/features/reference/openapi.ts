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
export const MAX_DEPTH = 8;

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
export function flatten(document: OpenApi, schema: Schema): Schema {
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
