import { strict as assert } from 'node:assert';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Ajv } from 'ajv';
import { type Answer, readAnswer, type Service } from '../harness.ts';

/** Revisions of the protocol used by hosts; the newest works without a handshake. */
export const CURRENT = '2026-07-28';
export const EARLIER = ['2025-11-25', '2025-06-18', '2025-03-26'];

/** The outcome of a tool call. */
export interface ToolAnswer {
  /**
   * `structuredContent`, validated with the tool's output schema; for a tool without one, the data
   * in its text (see {@link readingOf}); `undefined` after a failure.
   */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
  data: any;
  /** The text of the result. */
  text: string;
  /** The error code after a failure. */
  code: string | undefined;
}

/** A host's connection to the MCP surface, over HTTP. */
export interface Agent {
  client: Client;
  call(tool: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
  close(): Promise<void>;
}

const ajv = new Ajv({ strict: false, validateFormats: false });

/**
 * Connects with the official client.
 *
 * @param revision of the protocol; the current one unless told
 * @param query of the address, such as `?results=structured`
 */
export async function connect(
  service: Service,
  token: string | undefined,
  revision = CURRENT,
  query = '',
): Promise<Agent> {
  const client = new Client(
    { name: 'test', version: '1' },
    revision === CURRENT
      ? { versionNegotiation: { mode: { pin: CURRENT } } }
      : { supportedProtocolVersions: [revision] },
  );
  const transport = new StreamableHTTPClientTransport(new URL(`${service.baseUrl}/mcp${query}`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  assert.equal(client.getNegotiatedProtocolVersion(), revision);
  // The client validates results with the schemas of the tools that it has listed.
  const { tools } = await client.listTools();
  const schemas = new Map(tools.map(({ name, outputSchema }) => [name, outputSchema]));
  return {
    client,
    async call(tool, args = {}) {
      const result = await client.callTool({ name: tool, arguments: args });
      const [first] = result.content;
      const text = first?.type === 'text' ? first.text : '';
      if (result.isError) {
        assert.equal(result.structuredContent, undefined);
        return { data: undefined, text, code: /^[A-Z_]+/.exec(text)?.[0] };
      }
      const schema = schemas.get(tool);
      if (!schema) {
        assert.equal(result.structuredContent, undefined);
        return { data: readingOf(text), text, code: undefined };
      }
      const validate = ajv.compile(schema as object);
      assert.ok(validate(result.structuredContent), `${tool}: ${ajv.errorsText(validate.errors)}`);
      return { data: result.structuredContent, text, code: undefined };
    },
    close: () => client.close(),
  };
}

/** The quotations in a result's text, by their description. */
export function quotationsOf(text: string): Record<string, string> {
  const quotation =
    /^Between the two lines marked (\w{24}) (?:is|are) (.+), as (?:its author wrote it|their authors wrote them)\.\n.*\n<<<<<< \1\n([\s\S]*?)\n>>>>>> \1$/gm;
  return Object.fromEntries(
    [...text.matchAll(quotation)].map(([, , what, quoted]) => [what, quoted ?? '']),
  );
}

/**
 * The data of a tool that quotes documents, with its quotations in `content`, `outline`, `diff`,
 * `history`, `authors` and `items`.
 */
// biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
export function readingOf(text: string): any {
  const [, json = ''] = text.split('\n\n', 2);
  const {
    'the text': content = '',
    'the outline (line, then heading)': outline,
    'a unified diff': diff,
    'the history (one revision per line)': history,
    'the authors (one part per line)': parts,
    'the documents (one per line)': documents,
    'the inbox (one entry per line)': entries,
  } = quotationsOf(text);
  const headings = (outline?.split('\n') ?? []).map((heading) => {
    const [, line, level = '', words] = /^(\d+)(?::\d+)?: (#+) (.*)$/.exec(heading) ?? [];
    return { line: Number(line), level: level.length, text: words };
  });
  const linesOf = (text: string | undefined) => text?.split('\n').map((line) => JSON.parse(line));
  const [revisions, authors] = [linesOf(history), linesOf(parts)];
  const items = linesOf(documents ?? entries) ?? [];
  return {
    ...JSON.parse(json),
    content,
    outline: headings,
    diff,
    history: revisions,
    authors,
    items,
  };
}

/** Asserts that a call failed, and that the message names the cause. */
export function assertFailed(answer: ToolAnswer, code: string, message?: RegExp): void {
  assert.equal(answer.code, code, answer.text);
  if (message) assert.match(answer.text, message);
}

/** Sends an unchanged body to the surface. */
export async function post(
  service: Service,
  token: string | undefined,
  body: unknown,
  headers: Record<string, string> = {},
  query = '',
): Promise<Answer> {
  const response = await fetch(`${service.baseUrl}/mcp${query}`, {
    method: 'POST',
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return readAnswer(response);
}

/** A message in the form of revisions before the current one. */
export function message(method: string, params: object = {}, id: number | string = 1): object {
  return { jsonrpc: '2.0', id, method, params };
}

/** A tool call in the same form. */
export function call(name: string, args: object = {}, id: number | string = 1): object {
  return message('tools/call', { name, arguments: args }, id);
}

/** The messages of a response, in JSON or as an event stream. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
export function messagesOf(answer: Answer): any[] {
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) return [answer.json];
  return [...answer.text.matchAll(/^data: (.+)$/gm)].map(([, json = '']) => JSON.parse(json));
}
