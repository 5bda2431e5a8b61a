import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that pretends to be Briefs. */
export interface HostileServer {
  url: string;
  /** The id of its documents. */
  id: string;
  /** Names in its list that must not become files. */
  names: string[];
  /** The `Authorization` headers that it received. */
  tokens: Set<string>;
  stop(): void;
}

const ID = '019a5c2e-7b1a-7c3d-9e4f-8a6b5c4d3e2f';

const NAMES = [
  '../outside',
  '..',
  '/etc/outside',
  'a/b',
  '..\\outside',
  '.hidden',
  'nul\0l',
  'line\nbreak',
  '\u001b[31mred',
  'x'.repeat(300),
  '',
];

/** @param elsewhere the address that one of its documents redirects to */
export async function startHostileServer(elsewhere: string): Promise<HostileServer> {
  const tokens = new Set<string>();
  const server = createServer((request, response) => {
    const { authorization } = request.headers;
    if (authorization) tokens.add(authorization);
    const path = (request.url ?? '').replace(/\?.*/, '');
    const url = `http://${request.headers.host}`;
    const send = (data: unknown, status = 200, headers = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(data));
    };
    const document = (name: string, more = {}) =>
      send({
        data: {
          id: ID,
          fullName: `mallory/${name}`,
          content: '# Text\n',
          url: `${url}/mallory/${name}`,
          ...more,
        },
      });
    if (path.startsWith('/.well-known/')) return send({ issuer: `${url}/api` });
    if (path === '/api/user') return send({ data: { username: 'mallory' } });
    if (path === '/api/users/mallory/briefs') {
      const names = ['fine', ...NAMES];
      return send({ data: names.map((name) => ({ id: ID, fullName: `mallory/${name}` })) });
    }
    if (path === '/api/users/mallory/pages') return send({ data: [] });
    switch (path.split('/').at(-1)) {
      case 'liar':
        return document('../../outside');
      case 'redirect':
        return send({}, 308, { location: `${elsewhere}/api/user` });
      case 'script-address':
        return document('script-address', { url: 'javascript:alert(1)' });
      case 'terminal':
        return send({ error: { code: 'X', message: 'a\u001b]0;title\u0007b\npulled ok' } }, 500);
      case 'endless': {
        response.writeHead(200, { 'content-type': 'application/json' });
        const chunk = ' '.repeat(1024 * 1024);
        const write = () => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on('drain', write);
        return write();
      }
      default:
        return document('fine');
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    id: ID,
    names: NAMES,
    tokens,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
