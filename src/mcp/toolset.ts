import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import type { TObject } from 'typebox';
import type { Tool } from './tool.ts';
import { DOCUMENT_TOOLS, TOOLS } from './tools/all.ts';

/** The tools that an address offers. */
export interface Toolset {
  tools: readonly Tool[];
  /** As hosts list them. Every connected agent pays for each byte, in each conversation. */
  list: ListedTool[];
  find(name: string): Tool | undefined;
}

/**
 * What schemas say that models can do without: examples are for the API's reference, and a call that is
 * out of bounds or misspells an argument is answered with what is allowed.
 */
const UNLISTED = new Set([
  ...['examples', 'format', 'title', 'minimum', 'maximum'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'additionalProperties'],
]);
const UNLISTED_OUTPUT = new Set([...UNLISTED, 'description', 'required']);

/** The sets of tools, by `?tools=` in the address. */
export const TOOLSETS = {
  all: toolsetOf(TOOLS),
  documents: toolsetOf(DOCUMENT_TOOLS),
} as const satisfies Record<string, Toolset>;

function toolsetOf(tools: readonly Tool[]): Toolset {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return { tools, list: tools.map(listed), find: (name) => byName.get(name) };
}

function listed({ name, title, description, annotations, input, output }: Tool): ListedTool {
  return {
    ...{ name, title, description, annotations, inputSchema: listedSchema(input, UNLISTED) },
    ...(output && { outputSchema: listedSchema(output, UNLISTED_OUTPUT) }),
  };
}

/** A schema as the protocol's types have it: plain JSON, without some keywords. */
function listedSchema(schema: TObject, without: ReadonlySet<string>): ListedTool['inputSchema'] {
  // An argument may be called as a keyword is; its schema is an object.
  const isUnlisted = (key: string, value: unknown) =>
    without.has(key) && (typeof value !== 'object' || Array.isArray(value));
  return JSON.parse(
    JSON.stringify(schema, (key, value) =>
      isUnlisted(key, value) || value === '' ? undefined : value,
    ),
  );
}
