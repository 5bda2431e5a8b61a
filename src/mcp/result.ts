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
  const { summary, data, quote: field, links = [] } = outcome;
  return {
    content: [{ type: 'text', text: textOf(summary, data, field) }, ...links],
    structuredContent: data,
  };
}

function textOf(summary: string, data: Record<string, unknown>, field: string | undefined): string {
  if (field === undefined) return `${summary}\n\n${JSON.stringify(data)}`;
  const { [field]: text, ...rest } = data;
  const what = `the field "${field}" of this result`;
  return `${summary}\n\n${JSON.stringify(rest)}\n\n${quote(what, String(text))}`;
}

/**
 * The result of a call that failed. It is a result and not an error of the protocol, so that hosts
 * show it to the model, which can do something about it.
 */
export function failedResult({ code, message, advice }: Failure): CallToolResult {
  const text = advice ? `${code}: ${message}\n${advice}` : `${code}: ${message}`;
  return { isError: true, content: [{ type: 'text', text }], _meta: { error: { code, message } } };
}
