import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import type { TObject } from 'typebox';
import type { Tool } from './tool.ts';

/** The tools at an address. */
export interface Toolset {
  tools: readonly Tool[];
  /** As hosts list them. Every agent pays for each byte, in each conversation. */
  list: ListedTool[];
  find(name: string): Tool | undefined;
}

/**
 * Keywords that the listed schemas leave out, to save tokens. Examples are in the API reference; an
 * error for a bad argument says what is allowed.
 */
const UNLISTED = new Set([
  'examples',
  'format',
  'title',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'additionalProperties',
]);
const UNLISTED_OUTPUT = new Set([...UNLISTED, 'description', 'required']);

/** Prepares tools for listing and for calls. */
export function toolsetOf(tools: readonly Tool[]): Toolset {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return { tools, list: tools.map(listed), find: (name) => byName.get(name) };
}

function listed({ name, title, description, annotations, input, output }: Tool): ListedTool {
  return {
    name,
    title,
    description,
    annotations,
    inputSchema: listedSchema(input, UNLISTED),
    ...(output && { outputSchema: listedSchema(output, UNLISTED_OUTPUT) }),
  };
}

/** Converts a schema to the protocol's type: plain JSON, without some keywords. */
function listedSchema(schema: TObject, without: ReadonlySet<string>): ListedTool['inputSchema'] {
  // An argument can have a keyword's name; then its value is a schema.
  const isUnlisted = (key: string, value: unknown) =>
    without.has(key) && (typeof value !== 'object' || Array.isArray(value));
  return JSON.parse(
    JSON.stringify(schema, (key, value) =>
      isUnlisted(key, value) || value === '' ? undefined : value,
    ),
  );
}
