import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A received request. */
export interface Received {
  headers: Record<string, string>;
  body: string;
  /** The body as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into payloads of every shape
  json: any;
}

/** Answers a request: a status, and headers if any. `undefined` never answers. */
type Respond = (
  received: Received,
) => { status: number; headers?: Record<string, string> } | undefined;

/** An HTTP server that receives webhooks. */
export interface Receiver {
  url: string;
  received: Received[];
  /** The response from now on; 204 by default. */
  respond: Respond;
  /** Resolves when this many requests have arrived in all. */
  arrived(count: number): Promise<void>;
  close(): void;
}

export async function startReceiver(): Promise<Receiver> {
  const waiting = new Set<() => void>();
  const receiver: Receiver = {
    url: '',
    received: [],
    respond: () => ({ status: 204 }),
    async arrived(count) {
      while (receiver.received.length < count) {
        await new Promise<void>((resolve) => waiting.add(resolve));
      }
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const received = {
      headers: request.headers as Record<string, string>,
      body,
      json: JSON.parse(body),
    };
    receiver.received.push(received);
    const answer = receiver.respond(received);
    if (answer) response.writeHead(answer.status, answer.headers).end();
    for (const wake of waiting) wake();
    waiting.clear();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return receiver;
}
