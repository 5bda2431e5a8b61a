import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Failure } from './failure.ts';
import { quote } from './quote.ts';
import type { AnyOutcome, Tool } from './tool.ts';

/**
 * Returns the result of a call: the data as text, and also as `structuredContent` if the tool has
 * an output schema. Names and titles stay inside JSON strings.
 * A tool that quotes documents has no output schema. Some hosts show the model only
 * `structuredContent`, others only the text. So a document would have to be in both: sent twice,
 * and once without the mark that tells it from instructions.
 */
export function resultOf(
  { output }: Pick<Tool, 'output'>,
  { summary, data, quotations = [], links = [] }: AnyOutcome,
): CallToolResult {
  const text = [summary, JSON.stringify(data), ...quotations.map(quote)].join('\n\n');
  return {
    content: [{ type: 'text', text }, ...links],
    ...(output && { structuredContent: data }),
  };
}

/**
 * Returns the result of a failed call. It is a result, not an error of the protocol, so that hosts
 * show it to the model, which can react.
 */
export function failedResult({ code, message, advice, quotation }: Failure): CallToolResult {
  const complaint = advice ? `${code}: ${message}\n${advice}` : `${code}: ${message}`;
  const text = quotation ? `${complaint}\n\n${quote(quotation)}` : complaint;
  return { isError: true, content: [{ type: 'text', text }], _meta: { error: { code, message } } };
}
