import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../src/core/config/read-config.ts';
import { SETTINGS } from '../src/core/config/settings.ts';
import { freePorts } from './free-ports.ts';
import { startService } from './harness.ts';
import { nginxMissing, startDeployedProxy } from './servers/nginx.ts';
import type { ServerProcess } from './servers/server-process.ts';

const MB = 1024 * 1024;

/**
 * As in docs/develop/security.md: 1,200 MiB that `slow-input` allows, 300 MiB not measured, and a
 * reserve.
 */
const MEMORY_MIB = 1536;

const ROOT = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');

/** The objects of deploy/kubernetes.yaml. The tests check their fields. */
// biome-ignore lint/suspicious/noExplicitAny: manifests have no types here
const objects: any[] = parseAllDocuments(read('deploy/kubernetes.yaml')).map((each) => each.toJS());
const compose = parse(read('deploy/compose.yaml'), { merge: true });

function one(kind: string) {
  const found = objects.filter((each) => each.kind === kind);
  assert.equal(found.length, 1, kind);
  return found[0];
}

describe('Monitoring', () => {
  it('the alert rules and the dashboard use metrics and routes that there are', async () => {
    const [port] = await freePorts(1);
    const service = await startService({ METRICS_PORT: String(port), HOST: '127.0.0.1' });
    await fetch(`${service.webUrl}/sign-in`, {
      method: 'POST',
      headers: { origin: service.webUrl },
      body: new URLSearchParams({ name: 'nobody', password: 'wrong', next: '' }),
    });
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    await service.stop();
    assert.match(metrics, /^briefs_background_waiting\{work="search"\} \d+$/m);
    assert.match(metrics, /^briefs_background_oldest_seconds\{work="mail"\} 0$/m);
    assert.match(metrics, /^briefs_last_backup_timestamp_seconds 0$/m);
    for (const file of ['deploy/alerts.yaml', 'deploy/grafana.json']) {
      const text = read(file);
      const names = new Set(text.match(/\b(?:briefs|nodejs|process)_\w+/g));
      assert.ok(names.size > 4, file);
      // One that has counted nothing yet has only its description.
      for (const name of names) {
        assert.match(metrics, new RegExp(`^(?:# HELP )?${name}\\b`, 'm'), file);
      }
      const [, labels = ''] = /_count\{(route=[^}]*)\}/.exec(text.replaceAll('\\"', '"')) ?? [];
      for (const label of labels.split(',')) {
        assert.match(metrics, new RegExp(`_count\\{[^}]*${label}[^}]*\\} 1$`, 'm'), label);
      }
    }
    assert.ok(parse(read('deploy/alerts.yaml')).groups[0].rules.length > 5);
  });
});

describe('Memory', () => {
  it('the manifests grant as much as the documentation says', () => {
    const [container] = one('Deployment').spec.template.spec.containers;
    assert.equal(container.resources.limits.memory, `${MEMORY_MIB}Mi`);
    const { template } = one('CronJob').spec.jobTemplate.spec;
    assert.equal(template.spec.containers[0].image, container.image);
    for (const name of ['briefs-1', 'briefs-2']) {
      const { memory } = compose.services[name].deploy.resources.limits;
      assert.equal(memory, `${MEMORY_MIB}m`, name);
    }
    assert.match(read('deploy/briefs.service'), new RegExp(`^MemoryMax=${MEMORY_MIB}M$`, 'm'));
    const asked = `ive each process ${MEMORY_MIB.toLocaleString('en')} MiB`;
    for (const page of ['docs/develop/security.md', 'docs/operate/sizing.md']) {
      const text = read(page).replaceAll(/\s+/g, ' ');
      assert.ok(text.includes(asked), `${page} does not say: ${asked}`);
    }
  });

  it('they grant more than the test of hostile documents allows', () => {
    const limit = /MOST_MEMORY_MB = ([\d_]+);/.exec(read('test/security/slow-input.test.ts'))?.[1];
    assert.ok(Number(limit?.replaceAll('_', '')) + 300 <= MEMORY_MIB, `${limit}`);
  });
});

describe('deploy/compose.yaml', () => {
  it('every service of the image is built from this checkout', () => {
    // biome-ignore lint/suspicious/noExplicitAny: manifests have no types here
    const services = Object.entries<any>(compose.services);
    const ours = services.filter(([, { image }]) => image === 'briefs');
    assert.deepEqual(ours.map(([name]) => name).sort(), ['briefs-1', 'briefs-2', 'bucket']);
    for (const [name, { build, pull_policy }] of ours) {
      assert.equal(pull_policy, 'build', name);
      const context = new URL(`${build.context}/`, new URL('deploy/', ROOT));
      assert.equal(context.href, ROOT.href, name);
      assert.ok(existsSync(new URL(build.dockerfile, context)), name);
    }
  });

  // The image has no development packages, so a script of its own would find none.
  it('the bucket is created by the image’s own command', () => {
    const { entrypoint, command } = compose.services.bucket;
    assert.equal(entrypoint, undefined);
    assert.deepEqual(command, ['storage', 'create-bucket']);
  });
});

describe('Settings in deploy/.env', () => {
  /** What Compose gives a service: `environment` wins over the lines of `env_file`. */
  function environmentOf(name: string, lines: Record<string, string>): Record<string, string> {
    const { environment, env_file } = compose.services[name];
    assert.equal(env_file, '.env', name);
    const filled = Object.entries<string>(environment).map(([key, value]) => [
      key,
      value.replaceAll(/\$\{(\w+)[^}]*\}/g, (_, variable: string) => lines[variable] ?? ''),
    ]);
    return { ...lines, ...Object.fromEntries(filled) };
  }

  const example = parseEnv(read('deploy/example.env')) as Record<string, string>;
  const passwords = Object.entries(example).filter(([, value]) => value === '');
  const lines = { ...example, ...Object.fromEntries(passwords.map(([name]) => [name, 'a1b2'])) };
  const own = Object.keys(compose['x-settings']);
  const documented = [...read('docs/operate/settings.md').matchAll(/^\| (`[A-Z_`, ]+`) \|/gm)]
    .flatMap(([, names]) => [...(names ?? '').matchAll(/[A-Z_]+/g)])
    .map(([name]) => name)
    .filter((name) => !/^(AWS|PG)/.test(name));

  it('the documented ones are the known ones', () => {
    assert.deepEqual(documented.toSorted(), Object.keys(SETTINGS).sort());
  });

  it('reach both replicas, but for those that compose.yaml decides', () => {
    const OTHER: Record<string, string> = {
      WEB_URL: 'https://briefs.example',
      BASE_URL: 'https://api.briefs.example',
      RENDER_URL: 'https://render.briefs.example',
    };
    for (const name of ['briefs-1', 'briefs-2']) {
      for (const setting of documented) {
        const given = OTHER[setting] ?? 'given';
        const passed = environmentOf(name, { ...lines, [setting]: given })[setting];
        const decides = own.includes(setting) && !(setting in OTHER);
        assert.equal(passed === given, !decides, `${name}: ${setting}`);
        const said = read('deploy/example.env');
        if (decides) assert.match(said, new RegExp(`\\b${setting}\\b`));
      }
    }
  });

  it('are accepted, and a misspelled one stops the start', () => {
    const more = {
      SIGN_UPS: 'closed',
      SMTP_URL: 'smtp://mail.example',
      MAIL_FROM: 'briefs@briefs.example',
    };
    const { signUps, mail, port } = readConfig(environmentOf('briefs-1', { ...lines, ...more }));
    assert.deepEqual([signUps, mail?.host, port], ['closed', 'mail.example', 4000]);
    const misspelled = environmentOf('briefs-1', { ...lines, SIGN_UP: 'closed' });
    assert.throws(() => readConfig(misspelled), /SIGN_UP: unknown setting/);
  });
});

describe('deploy/kubernetes.yaml', () => {
  it('creates the namespace first, and everything else inside it', () => {
    const [namespace, ...others] = objects;
    assert.equal(namespace.kind, 'Namespace');
    assert.ok(others.length > 0);
    for (const { kind, metadata } of others) {
      assert.equal(metadata.namespace, namespace.metadata.name, kind);
    }
  });

  it('anyone can reach the service, only the monitoring namespace the metrics', () => {
    const { podSelector, policyTypes, ingress } = one('NetworkPolicy').spec;
    const { template } = one('Deployment').spec;
    assert.deepEqual(podSelector.matchLabels, template.metadata.labels);
    assert.deepEqual(policyTypes, ['Ingress']);
    const monitoring = { 'kubernetes.io/metadata.name': 'monitoring' };
    assert.deepEqual(ingress, [
      { ports: [{ port: 'http' }] },
      {
        from: [{ namespaceSelector: { matchLabels: monitoring } }],
        ports: [{ port: 'metrics' }],
      },
    ]);
    const [{ ports }] = template.spec.containers;
    // biome-ignore lint/suspicious/noExplicitAny: manifests have no types here
    assert.deepEqual(ports.map(({ name }: any) => name).sort(), ['http', 'metrics']);
    assert.deepEqual(one('Service').spec.selector, podSelector.matchLabels);
  });
});

describe('deploy/briefs.service', () => {
  it('hides the history of the checkout from the service', () => {
    const text = read('deploy/briefs.service');
    assert.match(text, /^WorkingDirectory=\/opt\/briefs$/m);
    assert.match(text, /^InaccessiblePaths=-\/opt\/briefs\/\.git$/m);
  });

  it('the backup runs with the same protection', () => {
    const protection = (path: string) =>
      read(path)
        .split('\n')
        .filter((line) =>
          /^(Protect|Private|Restrict(?!.*ExitStatus)|System|Cap|NoNew|Lock|Remove|Inacc|UMask)/.test(
            line,
          ),
        );
    const ours = protection('deploy/briefs.service');
    assert.ok(ours.length > 20);
    assert.deepEqual(protection('deploy/briefs-backup.service'), ours);
  });
});

describe('The documented proxies', () => {
  const guide = read('docs/operate/install.md');
  const blocks = [...guide.matchAll(/```nginx\n(.*?)```/gs)].map(([, block]) => block ?? '');
  const all = {
    'deploy/nginx.conf': read('deploy/nginx.conf'),
    'docs/operate/install.md': blocks[0],
  };
  for (const [name, text = ''] of Object.entries(all)) {
    it(`${name}: logs no addresses, because some are secret`, () => {
      assert.match(text, /^\s*access_log off;$/m);
      assert.doesNotMatch(text, /access_log (?!off;)/);
      // What it says of requests that fail has their addresses.
      assert.match(text, /^\s*error_log \S+ crit;$/m);
    });

    it(`${name}: shows TLS with versions that are still safe`, () => {
      assert.match(text, /^[\s#]*ssl_protocols\s+TLSv1\.2 TLSv1\.3;$/m);
    });
  }

  it('are these', () => assert.equal(blocks.length, 1));
});

/** What a server adds to the client's key (RFC 6455, section 1.3). */
const WEBSOCKET = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

describe('deploy/nginx.conf', { skip: nginxMissing() }, () => {
  /** Answers with the size, host and client address of each request. */
  const replica = createServer(async (request, response) => {
    let bytes = 0;
    for await (const chunk of request) bytes += chunk.length;
    const { host, 'x-forwarded-for': client } = request.headers;
    if (request.url === '/silent') return;
    if (request.url === '/tagged') {
      response.setHeader('content-type', 'application/json');
      response.setHeader('etag', '"tag"').end(JSON.stringify('x'.repeat(10_000)));
      return;
    }
    response.end(JSON.stringify({ bytes, host, client }));
  });
  let proxy: ServerProcess & { url: string };

  before(async () => {
    await once(replica.listen(0, '127.0.0.1'), 'listening');
    const { port } = replica.address() as AddressInfo;
    proxy = await startDeployedProxy([port, port]);
  });
  after(async () => {
    await proxy?.kill('SIGTERM');
    replica.close();
    replica.closeAllConnections();
  });

  const post = (path: string, bytes: number) =>
    fetch(proxy.url + path, {
      method: 'POST',
      headers: { 'x-forwarded-for': '192.0.2.1' },
      body: new Uint8Array(bytes),
    });

  for (const [path, most] of [
    ['/api/user/files', 12 * MB],
    ['/import', 202 * MB],
    ['/settings/uploads', 202 * MB],
  ] as const) {
    it(`${path}: accepts bodies of ${most / MB} MB, and forwards the host and the client’s address`, async () => {
      const response = await post(path, most);
      assert.deepEqual(await response.json(), {
        bytes: most,
        host: new URL(proxy.url).host,
        client: '127.0.0.1',
      });
    });
  }

  it('keeps entity tags strong, because If-Match needs them', async () => {
    const response = await fetch(`${proxy.url}/tagged`, { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(response.headers.get('etag'), '"tag"');
    assert.equal(response.headers.get('content-encoding'), null);
    assert.equal((await response.text()).length, 10_002);
  });

  it('passes WebSockets on, both ways', async () => {
    replica.on('upgrade', ({ headers }, socket: Socket) => {
      const accept = createHash('sha1').update(`${headers['sec-websocket-key']}${WEBSOCKET}`);
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
          `Sec-WebSocket-Accept: ${accept.digest('base64')}\r\n\r\n`,
      );
      // A text of two bytes, and a close of the connection.
      socket.write(Buffer.from([0x81, 2, 0x68, 0x69, 0x88, 0]));
      socket.on('data', () => socket.end());
    });
    const socket = new WebSocket(`${proxy.url.replace('http', 'ws')}/live/ada/plan`);
    const closed = once(socket, 'close');
    const [{ data }] = (await once(socket, 'message')) as [MessageEvent];
    assert.equal(data, 'hi');
    await closed;
  });

  it('requests that take too long take no replica from others', async () => {
    const silent = Array.from({ length: 8 }, () => fetch(`${proxy.url}/silent`));
    let isOver = false;
    const over = Promise.all(silent).then(async (responses) => {
      for (const response of responses) await response.body?.cancel();
      await sleep(500);
      isOver = true;
      return responses.map(({ status }) => status);
    });
    while (!isOver) {
      const response = await fetch(`${proxy.url}/`);
      assert.equal(response.status, 200);
      await response.body?.cancel();
      await sleep(5);
    }
    assert.deepEqual(await over, Array(8).fill(504));
  });

  it('names no addresses in its log, even of requests that fail', async () => {
    const [none = 0] = await freePorts(1);
    const alone = await startDeployedProxy([none, none]);
    const body = new Uint8Array(100_000);
    const failed = await fetch(`${alone.url}/s/secret-link`, { method: 'POST', body });
    const tooLarge = await post('/invited/secret-link', 12 * MB + 1).catch(() => undefined);
    assert.equal(failed.status, 502);
    await Promise.all([failed.body?.cancel(), tooLarge?.body?.cancel()]);
    await alone.kill('SIGTERM');
    for (const { output } of [alone, proxy]) assert.doesNotMatch(output(), /secret-link/);
  });

  it('limits other bodies', async () => {
    for (const path of ['/', '/import/', '/settings/uploads/1/delete']) {
      const response = await post(path, 12 * MB + 1).catch(() => undefined);
      // The connection may be closed while the body is still being sent.
      if (!response) continue;
      assert.equal(response.status, 413, path);
      const { error } = await response.json();
      assert.equal(error.code, 'PAYLOAD_TOO_LARGE', 'as the API says it');
    }
  });
});
