import { strict as assert } from 'node:assert';
import { freePorts } from '../free-ports.ts';
import { startService } from '../harness.ts';
import { decideAt, EVERYTHING, followOut, locationOf, register } from '../oauth/agent.ts';
import { openBrowser } from '../oauth/visitor.ts';
import { PASSWORD, signUp } from '../sign-in/visitor.ts';
import { REVISIONS, runSuite } from './suite.ts';

/*
 * Runs the conformance suite for authorization servers, whole: the metadata, and a code grant whose
 * interactive part, signing in and consenting at the service's own pages, is done here. Every check
 * has to succeed; none may be skipped. Not a part of `npm test`: the suite is fetched by npx.
 *
 * The suite takes every client for a public one where the metadata offers `none`; clients with
 * secrets are tested in test/oauth.
 *
 *   npm run build:server && node dist/test/conformance/authorization-server.js
 */

const service = await startService();
await signUp(service, 'ada');
for (const revision of REVISIONS) {
  for (const resource of [undefined, `${service.baseUrl}/mcp`]) {
    const { passed, checks, others } = await runGrant(revision, resource);
    const success = passed && others.length === 0 && checks.SUCCESS === 3;
    const what = `${revision}, for ${resource ?? 'no resource in particular'}`;
    console.log(`${what}: ${success ? 'passed' : 'FAILED'}`, checks, ...others, '\n');
    if (!success) process.exitCode = 1;
  }
}
await service.stop();

async function runGrant(revision: string, resource: string | undefined) {
  const [port] = await freePorts(1);
  const client = await register(service, {
    client_name: 'Conformance suite',
    redirect_uris: [`http://127.0.0.1:${port}/callback`],
  });
  let granting = Promise.resolve();
  const outcome = await runSuite(
    [
      'authorization',
      '--url',
      service.baseUrl,
      '--spec-version',
      revision,
      '--client-id',
      client.client_id,
      '--port',
      String(port),
      ...(resource ? ['--resource', resource] : []),
    ],
    (line) => {
      if (!line.startsWith(`${service.baseUrl}/sso/authorize?`)) return;
      granting = grant(line.trim()).catch(async (error) => {
        console.error(error);
        // Otherwise the suite would wait for five minutes.
        await fetch(`http://127.0.0.1:${port}/callback?error=server_error`);
      });
    },
  );
  await granting;
  return outcome;
}

/** The person's part: signs in, allows everything, and returns to the application. */
async function grant(authorize: string): Promise<void> {
  const browser = openBrowser();
  const consent = locationOf(await browser.get(authorize)).href;
  const asked = await browser.get(consent);
  const signIn = new URL(asked.headers.get('location') ?? '', consent);
  assert.equal(signIn.pathname, '/sign-in');
  const next = signIn.searchParams.get('next') ?? '';
  const signedIn = await browser.submit(`${service.webUrl}/sign-in`, [
    ['next', next],
    ['name', 'ada'],
    ['password', PASSWORD],
  ]);
  assert.equal(new URL(signedIn.headers.get('location') ?? '', consent).href, consent);
  const back = await followOut(service, browser, await decideAt(browser, consent, EVERYTHING));
  await (await fetch(back)).text();
}
