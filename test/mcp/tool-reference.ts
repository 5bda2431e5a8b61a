import type { TObject } from 'typebox';
import type { Tool } from '../../src/mcp/tool.ts';

interface Property {
  type?: string | string[];
  enum?: string[];
  default?: unknown;
  description?: string;
  items?: { type?: string };
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
    ...(openWorldHint ? ['open world'] : []),
  ];
  const description = tool.description.replace(/ Scope: [\w:]+\.$/, '');
  return [
    `## ${tool.name}`,
    '',
    description,
    '',
    `Scope \`${tool.scope}\`; ${hints.join(', ')}. Result: ${fieldsOf(tool.output)}.`,
    ...table(tool.input),
  ].join('\n');
}

function fieldsOf(schema: TObject | undefined): string {
  if (!schema) return 'text alone, in which what documents say is quoted';
  return Object.keys(schema.properties)
    .map((name) => `\`${name}\``)
    .join(', ');
}

function table(schema: TObject): string[] {
  const rows = Object.entries(schema.properties as Record<string, Property>).map(
    ([name, property]) => {
      const required = (schema.required as string[] | undefined)?.includes(name)
        ? ' (required)'
        : '';
      return `| \`${name}\`${required} | ${typeOf(property)} | ${property.description ?? ''} |`;
    },
  );
  return rows.length === 0 ? [] : ['', '| argument | type | |', '|---|---|---|', ...rows];
}

function typeOf({ type, enum: words, items, default: value }: Property): string {
  const name = words
    ? words.map((word) => `\`${word}\``).join(', ')
    : type === 'array'
      ? `list of ${items?.type}s`
      : String(type);
  return value === undefined ? name : `${name}; default \`${value}\``;
}
