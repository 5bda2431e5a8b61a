import { flatten, MAX_DEPTH, type MediaType, type OpenApi, type Schema } from './openapi.ts';

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
