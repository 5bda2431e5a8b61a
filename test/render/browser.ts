import { createSocket } from 'node:dgram';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { type Browser, chromium, type Page } from 'playwright-core';
import { CHROMIUM } from '../web/built-client.ts';

export function launch(executablePath: string = CHROMIUM): Promise<Browser> {
  return chromium.launch({
    executablePath,
    // The PDF viewer is an extension that is part of Chromium.
    ignoreDefaultArgs: [
      '--disable-component-extensions-with-background-pages',
      '--disable-extensions',
    ],
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
}

/** A server that records all requests and connections. */
export interface Counter {
  origin: string;
  /** The number of requests for `/${name}`. */
  of(name: string): string[];
  close(): void;
}

/** Starts a server that answers and counts every request. */
export async function startCounter(): Promise<Counter> {
  const visits: string[] = [];
  const server = createServer((request, response) => {
    visits.push(`${request.method} ${request.url}`);
    response.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'text/html' });
    response.end('visited');
  });
  server.on('upgrade', (request, socket) => {
    visits.push(`UPGRADE ${request.url}`);
    socket.destroy();
  });
  const origin = await listen(server);
  return {
    origin,
    of: (name) => visits.filter((visit) => visit.split(/[ ?]/)[1] === `/${name}`),
    close: () => close(server),
  };
}

/** Serves documents without any policy. */
export async function startPlain(): Promise<{
  origin: string;
  documents: Map<string, string>;
  close(): void;
}> {
  const documents = new Map<string, string>();
  const server = createServer((request, response) => {
    const html = documents.get(request.url ?? '');
    response.writeHead(html === undefined ? 404 : 200, { 'content-type': 'text/html' });
    response.end(html);
  });
  return { origin: await listen(server), documents, close: () => close(server) };
}

/** Listens for UDP and TCP, and counts. */
export async function startSockets(): Promise<{
  udpPort: number;
  tcpPort: number;
  seen(): { udp: number; tcp: number };
  close(): void;
}> {
  const seen = { udp: 0, tcp: 0 };
  const udp = createSocket('udp4').on('message', () => seen.udp++);
  const tcp = createTcpServer((socket) => {
    seen.tcp++;
    socket.destroy();
  });
  await new Promise<void>((bound) => udp.bind(0, '127.0.0.1', bound));
  await new Promise<void>((listening) => tcp.listen(0, '127.0.0.1', listening));
  return {
    udpPort: udp.address().port,
    tcpPort: (tcp.address() as AddressInfo).port,
    seen: () => ({ ...seen }),
    close: () => {
      udp.close();
      tcp.close();
    },
  };
}

/** Console messages and events of a page that a test may check. */
export function watch(page: Page): { console: string[]; popups: string[]; errors: string[] } {
  const seen = { console: [] as string[], popups: [] as string[], errors: [] as string[] };
  page.on('console', (message) => seen.console.push(`${message.type()}: ${message.text()}`));
  page.on('popup', (popup) => seen.popups.push(popup.url()));
  page.on('pageerror', (error) => seen.errors.push(error.message));
  return seen;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((listening) => server.listen(0, 'localhost', listening));
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

function close(server: Server): void {
  server.close();
  server.closeAllConnections();
}
