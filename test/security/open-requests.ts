import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Service } from '../harness.ts';
import { type Agent, connect } from '../mcp/agent.ts';
import { until } from '../until.ts';

/** Tells whether a request that waits for events was told one before it ended. */
export type Heard = Promise<boolean>;

/** What waits for events, by where. */
export interface Waits {
  /** The waits for the events of a document, and for those that concern the caller. */
  heard: Record<string, Heard>;
  close(): Promise<void>;
}

/**
 * Waits for events everywhere that a token can.
 *
 * @param options.document as in `ada/plans`, a brief
 * @param options.own whether to wait for what concerns the caller, too
 */
export async function openWaits(
  service: Service,
  token: string,
  { document, own }: { document: string; own: boolean },
): Promise<Waits> {
  const left = new AbortController();
  const agents: Agent[] = [];
  const openAgent = async () => {
    const agent = await connect(service, token);
    agents.push(agent);
    return agent;
  };
  const fetched = (path: string, accept: string) =>
    fetch(service.baseUrl + path, {
      headers: { authorization: `Bearer ${token}`, accept },
      signal: left.signal,
    });
  const poll = async (path: string) => {
    const { data } = (await (await fetched(`${path}?wait=30`, 'application/json')).json()) as {
      data?: { items: unknown[] };
    };
    return (data?.items.length ?? 0) > 0;
  };
  const stream = async (path: string) => {
    const { body } = await fetched(path, 'text/event-stream');
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      if (piece.includes('data:')) return true;
    }
    return false;
  };
  const tool = async (args: object) => {
    const agent = await openAgent();
    const { data } = await agent.call('wait_for_feedback', { wait_seconds: 30, ...args });
    return data !== undefined && data.events.length > 0;
  };
  const listen = async () => {
    const { client } = await openAgent();
    return new Promise<boolean>((resolve, reject) => {
      client.setNotificationHandler('notifications/resources/updated', () => resolve(true));
      client
        .listen({ resourceSubscriptions: [`brief://${document}`] })
        .then(({ closed }) => closed.then(() => resolve(false)))
        .catch(reject);
    });
  };
  const path = `/briefs/${document}/events`;
  return {
    heard: {
      'long poll': poll(path),
      stream: stream(path),
      wait_for_feedback: tool({ documents: [document] }),
      'subscriptions/listen': listen(),
      ...(own && {
        'long poll, own': poll('/user/events'),
        'stream, own': stream('/user/events'),
        'wait_for_feedback, own': tool({}),
      }),
    },
    async close() {
      left.abort();
      await Promise.all(agents.map((agent) => agent.close()));
    },
  };
}

/** Counts how many requests wait for events now. */
export function countWaiting({ app }: Service): {
  reach(count: number): Promise<void>;
  stop(): void;
} {
  const { feedWaiters } = app.context;
  const { next } = feedWaiters;
  let waiting = 0;
  feedWaiters.next = async (...args) => {
    waiting += 1;
    return next(...args).finally(() => {
      waiting -= 1;
    });
  };
  return {
    reach: (count) => until(`${count} wait`, () => waiting === count),
    stop: () => {
      feedWaiters.next = next;
    },
  };
}

/** The answer to a request that was sent slowly. */
export interface LateAnswer {
  status: number;
  location: string | undefined;
  text: string;
}

/**
 * Sends a request whose last bytes arrive late.
 *
 * @param meanwhile runs when the service has read the headers and the first bytes
 */
export async function sendSlowly(
  service: Service,
  url: string,
  sent: { method: string; headers: Record<string, string>; body: Blob },
  meanwhile: () => Promise<unknown>,
): Promise<LateAnswer> {
  const bytes = Buffer.from(await sent.body.arrayBuffer());
  const half = Math.floor(bytes.length / 2);
  const headers = { ...sent.headers, 'content-length': bytes.length, expect: '100-continue' };
  const outgoing = request(url, { method: sent.method, headers });
  const answered = once(outgoing, 'response');
  outgoing.flushHeaders();
  await once(outgoing, 'continue');
  outgoing.write(bytes.subarray(0, half));
  // By now, the service has checked who sends the request.
  await (await fetch(`${service.webUrl}/healthz`)).text();
  await meanwhile();
  outgoing.end(bytes.subarray(half));
  const [response] = await answered;
  const { statusCode, headers: received } = response;
  return { status: statusCode, location: received.location, text: await text(response) };
}
