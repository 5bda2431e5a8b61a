import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** Passes requests on to a server, and answers some late. */
export interface SlowServer {
  url: string;
  stop(): void;
}

/**
 * @param target the address of the server
 * @param hold waits before an answer is passed on; gets the request's body and path. If it rejects, the
 *   connection is cut instead
 */
export async function startSlowServer(
  target: string,
  hold: (body: string, path: string) => Promise<void>,
): Promise<SlowServer> {
  const proxy = createServer(async (request, response) => {
    const body = await buffer(request);
    const { 'content-type': type = '', authorization = '' } = request.headers;
    const method = request.method ?? 'GET';
    const answer = await fetch(target + request.url, {
      method,
      headers: { 'content-type': type, authorization },
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    });
    const text = (await answer.text()).replaceAll(target, `http://${request.headers.host}`);
    try {
      await hold(body.toString(), request.url ?? '');
    } catch {
      request.socket.destroy();
      return;
    }
    const kept = ['content-type', 'etag', 'x-revision', 'x-merged', 'link'];
    const headers = kept.flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    response.writeHead(answer.status, Object.fromEntries(headers)).end(text);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    stop() {
      proxy.close();
      proxy.closeAllConnections();
    },
  };
}
