import { strict as assert } from 'node:assert';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { everythingIndexed } from '../document/everything-indexed.ts';
import { startService } from '../harness.ts';
import { call, post } from '../mcp/agent.ts';
import {
  authorizeUrl,
  makePkce,
  postRegistration,
  postToken,
  REDIRECT,
  register,
  UNLIMITED,
} from '../oauth/agent.ts';
import { makePerson } from '../web-app/world.ts';

/** Names with private addresses are tested in src/features/applications/document-clients.test.ts. */
describe('SSRF', async () => {
  const visits: string[] = [];

  const service = await startService(UNLIMITED);
  const ada = await makePerson(service, 'ada');
  const server = createServer((request, response) => {
    visits.push(`${request.method} ${request.url}`);
    response.setHeader('content-type', 'application/json').end('{}');
  });
  // Even a connection reveals that a server listens there.
  server.on('connection', () => visits.push('a connection'));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const port = (server.address() as AddressInfo).port;
  after(async () => {
    server.close();
    await service.stop();
  });

  /** The server's address in notations that could bypass a check. */
  const addresses = () => [
    `http://127.0.0.1:${port}/x`,
    `https://127.0.0.1:${port}/x`,
    `http://localhost:${port}/x`,
    `http://[::ffff:127.0.0.1]:${port}/x`,
    `http://2130706433:${port}/x`,
    `http://0x7f.1:${port}/x`,
    `http://0177.0.0.1:${port}/x`,
    `http://127.1:${port}/x`,
    `http://0.0.0.0:${port}/x`,
    `http://user@127.0.0.1:${port}/x`,
    `//127.0.0.1:${port}/x`,
  ];

  it('the service fetches nothing that a document names', async () => {
    for (const [index, address] of addresses().entries()) {
      const content = [
        `# [x](${address})`,
        `![x](${address})`,
        `<img src="${address}" srcset="${address} 2x">`,
        `[x]: ${address}`,
        `<${address}>`,
        `$\\includegraphics{${address}}$`,
        `\`\`\`mermaid\nflowchart LR\n  A@{ img: "${address}" }\n\`\`\``,
        `---\nimage: ${address}\n---`,
      ].join('\n\n');
      const name = `doc-${index}`;
      await ada.client.post('/user/briefs', { name, content });
      const html =
        `<!doctype html><html manifest="${address}"><link rel="stylesheet" href="${address}">` +
        `<script src="${address}"></script><iframe src="${address}"></iframe><base href="${address}">` +
        `<!DOCTYPE x [<!ENTITY y SYSTEM "${address}">]><title>&y;</title><img src="${address}">`;
      await ada.client.post('/user/pages', { name, html });
      for (const path of [`/ada/${name}`, `/ada/pages/${name}`, `/read/ada/${name}`]) {
        await ada.visitor.get(path);
      }
      await post(service, ada.client.token, call('read_document', { owner: 'ada', name }));
      const form = new FormData();
      for (const [field, value] of Object.entries({
        owner: 'ada',
        visibility: 'private',
        ifTaken: 'skip',
      }))
        form.append(field, value);
      form.append('files', new Blob([`[InternetShortcut]\nURL=${address}\n`]), 'x.url');
      form.append('files', new Blob([content]), `import-${index}.md`);
      await ada.visitor.post('/import', form);
    }
    await everythingIndexed(service.app.context);
    await ada.visitor.get('/export');
    assert.deepEqual(visits, []);
  });

  it('it fetches only applications’ client metadata, and only from public addresses', async () => {
    const { challenge } = makePkce();
    for (const address of addresses()) {
      const answer = await postRegistration(service, {
        redirect_uris: [REDIRECT],
        ...Object.fromEntries(
          [
            'logo_uri',
            'client_uri',
            'policy_uri',
            'tos_uri',
            'jwks_uri',
            'initiate_login_uri',
            'sector_identifier_uri',
            'software_statement',
            'backchannel_logout_uri',
          ].map((field) => [field, address]),
        ),
        request_uris: [address],
      });
      assert.ok(answer.status < 500, answer.text);
      const client = await register(service);
      const known = {
        client_id: client.client_id,
        redirect_uri: REDIRECT,
        code_challenge: challenge,
      };
      for (const parameters of [
        { ...known, client_id: address },
        { ...known, client_id: address.replace(/^\w*:?\/\//, 'https://') },
        { ...known, request_uri: address },
        { ...known, redirect_uri: address },
        { ...known, resource: address },
        { ...known, iss: address, id_token_hint: address },
      ]) {
        await (await fetch(authorizeUrl(service, parameters), { redirect: 'manual' })).text();
      }
      const asClient = { ...client, client_id: address.replace(/^\w*:?\/\//, 'https://') };
      await postToken(service, asClient, {
        grant_type: 'authorization_code',
        code: 'x',
        code_verifier: 'x',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: address,
      });
    }
    assert.deepEqual(visits, []);
  });

  it('it fetches and forwards nothing that a header names', async () => {
    const host = `127.0.0.1:${port}`;
    for (const url of [service.webUrl, service.baseUrl, service.renderUrl]) {
      for (const headers of [
        { 'x-forwarded-host': host, 'x-forwarded-server': host },
        { referer: `http://${host}/x`, origin: `http://${host}` },
        { 'x-original-url': `http://${host}/x`, 'x-proxy-url': `http://${host}/x` },
        {
          'x-wap-profile': `http://${host}/x`,
          contact: `http://${host}/x`,
          'true-client-ip': host,
        },
      ]) {
        await (await fetch(`${url}/user`, { headers: headers as Record<string, string> })).text();
      }
    }
    // Waits for requests that are still on their way.
    await sleep(200);
    assert.deepEqual(visits, []);
    await (await fetch(`http://127.0.0.1:${port}/x`)).text();
    assert.deepEqual(visits, ['a connection', 'GET /x'], 'it would have been noticed');
  });
});
