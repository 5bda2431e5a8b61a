import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Failure } from './failure.ts';
import { quote } from './quote.ts';
import type { Outcome } from './tool.ts';

/**
 * The result of a call: the data as `structuredContent`, and once more as text, since some hosts
 * hand only the text to the model. Names and titles stay inside JSON strings there, and a document's
 * own text is quoted.
 */
export function resultOf(outcome: Outcome<Record<string, unknown>>): CallToolResult {
  const { summary, data, quote: fields = [], links = [] } = outcome;
  return {
    content: [{ type: 'text', text: textOf(summary, data, fields) }, ...links],
    structuredContent: data,
  };
}

function textOf(summary: string, data: Record<string, unknown>, fields: readonly string[]): string {
  // An empty list quotes nobody.
  const quoted = fields.filter(
    (field) => !(Array.isArray(data[field]) && data[field].length === 0),
  );
  const own = Object.entries(data).filter(([field]) => !quoted.includes(field));
  const quotes = quoted.map((field) => {
    const value = data[field];
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return quote(`the field "${field}" of this result`, text);
  });
  return [summary, JSON.stringify(Object.fromEntries(own)), ...quotes].join('\n\n');
}

/**
 * The result of a call that failed. It is a result and not an error of the protocol, so that hosts
 * show it to the model, which can do something about it.
 */
export function failedResult({ code, message, advice }: Failure): CallToolResult {
  const text = advice ? `${code}: ${message}\n${advice}` : `${code}: ${message}`;
  return { isError: true, content: [{ type: 'text', text }], _meta: { error: { code, message } } };
}
