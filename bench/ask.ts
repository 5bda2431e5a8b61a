import { Agent, request } from 'node:http';

/** One client with one connection to each server. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Sends a request and reads the whole response. @throws Error unless it succeeds */
export function ask(asked: {
  url: string;
  method?: string;
  headers?: Record<string, string>;
  /** JSON. */
  body?: string;
}): Promise<void> {
  const { url, method = 'GET', headers = {}, body } = asked;
  const type = body !== undefined && {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const asking = request(url, { agent, method, headers: { ...headers, ...type } }, (response) => {
      const { statusCode = 0 } = response;
      response.resume().once('error', reject);
      response.once('end', () =>
        statusCode < 300 ? resolve() : reject(new Error(`${method} ${url}: ${statusCode}`)),
      );
    });
    asking.once('error', (error) => {
      // The server may have closed the idle connection while others were measured.
      if (asking.reusedSocket) ask(asked).then(resolve, reject);
      else reject(error);
    });
    asking.end(body);
  });
}
