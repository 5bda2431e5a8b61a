import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import { type TObject, Type } from 'typebox';
import { FieldError } from '../../base/errors.ts';
import { ALL_SCOPES, type Scope } from '../../core/identity/scope.ts';
import { AnyObject } from './paging.ts';
import type { Tool } from './tool.ts';

/** The tools at an address. */
export interface Toolset {
  tools: readonly Tool[];
  /** As hosts list them. Every agent pays for each byte, in each conversation. */
  list: ListedTool[];
  /** The same for hosts that ask for structured results: each tool has an output schema. */
  structuredList: ListedTool[];
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
  'minProperties',
  'additionalProperties',
]);
const UNLISTED_OUTPUT = new Set([...UNLISTED, 'description', 'required']);

/** Prepares tools for listing and for calls. */
export function toolsetOf(tools: readonly Tool[]): Toolset {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    tools,
    list: tools.map((tool) => listing(tool).plain),
    structuredList: tools.map((tool) => listing(tool).structured),
    find: (name) => byName.get(name),
  };
}

/**
 * Returns those of a set's listed tools that can be called.
 *
 * @param scopes those that a token has or can get
 */
export function callable(
  list: ListedTool[],
  { tools }: Toolset,
  scopes: readonly Scope[],
): ListedTool[] {
  return list.filter((_, index) => {
    const tool = tools[index];
    return !tool?.scope || tool.scopes.some((scope) => scopes.includes(scope));
  });
}

/** Names of several tools: fixed ones, and each tool's own. */
export type ToolNames = Readonly<Record<string, readonly Tool[]>>;

/**
 * Returns the tools that names choose together, in the order of `all`.
 *
 * @param names names of `sets` and of tools, separated by commas
 * @returns the first unknown name otherwise
 */
function chosenTools(all: Toolset, sets: ToolNames, names: string): Toolset | { unknown: string } {
  const chosen = new Map<string, Tool>();
  for (const name of names.split(',').map((each) => each.trim())) {
    const tool = all.find(name);
    const found = tool ? [tool] : Object.hasOwn(sets, name) ? sets[name] : undefined;
    if (!found) return { unknown: name };
    for (const each of found) {
      // A set can have a form of a tool that does less.
      if (!chosen.has(each.name) || all.find(each.name) === each) chosen.set(each.name, each);
    }
  }
  return toolsetOf(all.tools.flatMap(({ name }) => chosen.get(name) ?? []));
}

/**
 * Returns the tools that an address's `?tools=` chooses; all of them without it.
 *
 * @throws BAD_REQUEST for an unknown name
 */
export function askedToolset(
  { all, sets }: { all: Toolset; sets: ToolNames },
  given: string | string[] | undefined,
): Toolset {
  if (given === undefined) return all;
  const chosen = chosenTools(all, sets, [given].flat().join(','));
  if (!('unknown' in chosen)) return chosen;
  const known = [...Object.keys(sets), ...all.tools.map(({ name }) => name)].join(', ');
  const unknown = JSON.stringify(chosen.unknown.slice(0, 100));
  throw new FieldError(
    'BAD_REQUEST',
    'tools',
    `there is no ${unknown}. Known are ${known}; separate several with commas.`,
  );
}

/** Returns the scopes that calls of the tools need. */
export function scopesOfTools({ tools }: Toolset): Scope[] {
  return ALL_SCOPES.filter((one) => tools.some(({ scopes }) => scopes.includes(one)));
}

/** A tool as hosts list it: usually, and if they ask for structured results. */
interface Listing {
  plain: ListedTool;
  structured: ListedTool;
}

const LISTINGS = new WeakMap<Tool, Listing>();

function listing(tool: Tool): Listing {
  const known = LISTINGS.get(tool);
  if (known) return known;
  const made = {
    plain: listed(tool, tool.output),
    structured: listed(tool, tool.output ?? quotingOutput(tool)),
  };
  LISTINGS.set(tool, made);
  return made;
}

/** Returns what `structured` adds to the data of a tool that quotes documents, and that data. */
function quotingOutput({ reading }: Tool): TObject {
  return Type.Object({
    ...reading?.properties,
    notice: Type.String(),
    quoted: Type.Array(
      Type.Object({
        what: Type.String(),
        text: Type.Optional(Type.String()),
        rows: Type.Optional(Type.Array(AnyObject)),
      }),
    ),
  });
}

function listed(
  { name, title, description, annotations, input }: Tool,
  output: TObject | undefined,
): ListedTool {
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
