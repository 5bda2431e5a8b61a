import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '../test/free-ports.ts';
import { findProgram } from '../test/servers/server-process.ts';
import { type Server, startServer } from './process.ts';

/** Debian's path, which isn't on every user's PATH. */
const PLACES = ['/usr/sbin'];

export const nginxProgram = () => findProgram('nginx', PLACES);

/**
 * Starts nginx for static files, with one worker and without a log.
 *
 * @param directory serves what is below `files` in it
 */
export async function startNginx(directory: string): Promise<Server> {
  const [port = 0] = await freePorts(1);
  const configuration = join(directory, 'nginx.conf');
  writeFileSync(
    configuration,
    `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${directory}/nginx.pid;
error_log stderr;
events { worker_connections 1024; }
http {
  types { text/markdown md; text/html html; }
  charset utf-8;
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  open_file_cache max=100;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${directory}/${name};`)
    .join('\n  ')}
  server {
    listen 127.0.0.1:${port};
    root ${directory}/files;
  }
}
`,
  );
  const command = [nginxProgram() ?? 'nginx', '-p', directory, '-c', configuration];
  return startServer(command, { url: `http://127.0.0.1:${port}`, path: '/ready.html' });
}
