import type { TObject } from 'typebox';
import type { Tool } from '../../src/surfaces/mcp/tool.ts';

interface Property {
  type?: string | string[];
  enum?: string[];
  default?: unknown;
  description?: string;
  items?: { type?: string; properties?: Record<string, Property>; required?: string[] };
}

/** Returns the generated part of `docs/agents/tools.md`. */
export function toolReference(tools: readonly Tool[]): string {
  return tools.map(describe).join('\n\n');
}

function describe(tool: Tool): string {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool.annotations;
  const hints = [
    readOnlyHint ? 'read-only' : 'writes',
    ...(destructiveHint ? ['destructive'] : []),
    ...(idempotentHint ? ['idempotent'] : []),
    ...(openWorldHint === false ? [] : ['open world']),
  ];
  return [
    `## ${tool.name}`,
    '',
    tool.description,
    '',
    `${tool.scope ? `Scope \`${tool.scope}\`` : 'No scope'}; ${hints.join(', ')}. Result: ${fieldsOf(tool.output)}.`,
    ...table(tool.input),
  ].join('\n');
}

function fieldsOf(schema: TObject | undefined): string {
  if (!schema) return 'text, which marks quotes from documents as data';
  return Object.keys(schema.properties)
    .map((name) => `\`${name}\``)
    .join(', ');
}

function table(schema: TObject): string[] {
  const rows = rowsOf(schema.properties as Record<string, Property>, schema.required ?? []);
  return rows.length === 0 ? [] : ['', '| argument | type | |', '|---|---|---|', ...rows];
}

/** One row per argument; the fields of a list's objects follow the list. */
function rowsOf(
  properties: Record<string, Property>,
  required: readonly string[],
  prefix = '',
): string[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const { items } = property;
    const needed = required.includes(name) ? ' (required)' : '';
    return [
      `| \`${path}\`${needed} | ${typeOf(property)} | ${property.description ?? ''} |`,
      ...(items?.properties ? rowsOf(items.properties, items.required ?? [], `${path}[].`) : []),
    ];
  });
}

function typeOf({ type, enum: words, items, default: value }: Property): string {
  const name = words
    ? words.map((word) => `\`${word}\``).join(', ')
    : type === 'array'
      ? `list of ${items?.type}s`
      : String(type);
  return value === undefined ? name : `${name}; default \`${value}\``;
}
