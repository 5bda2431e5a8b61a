import { strict as assert } from 'node:assert';
import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { Answer } from '../harness.ts';
import type { Visitor } from './visitor.ts';

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_KEY = 0x40;

/** What a test makes wrong in an authenticator's answer. */
export interface Wrong {
  origin?: string;
  /** Whether the user was only there, but didn't show who they are. */
  isUnverified?: boolean;
  challenge?: string;
  /** The account's id that it says the key is for. */
  userHandle?: string;
  type?: string;
}

/** An authenticator with one passkey, in software. */
export interface Authenticator {
  /** Returns what the browser sends when it has created the key, as JSON. */
  create(options: { challenge: string; rp: { id: string } }, wrong?: Wrong): string;
  /** Returns what the browser sends when the key has signed, as JSON. */
  sign(options: { challenge: string; rpId: string }, wrong?: Wrong): string;
}

export function makeAuthenticator(webUrl: string): Authenticator {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(16);
  const id = credentialId.toString('base64url');
  let counter = 0;

  function clientData(type: string, challenge: string, wrong: Wrong): Buffer {
    const origin = wrong.origin ?? new URL(webUrl).origin;
    const data = { type: wrong.type ?? type, challenge: wrong.challenge ?? challenge, origin };
    return Buffer.from(JSON.stringify({ ...data, crossOrigin: false }));
  }

  function authenticatorData(rpId: string, more: number, wrong: Wrong): Buffer {
    const flags = PRESENT | (wrong.isUnverified ? 0 : VERIFIED) | more;
    const count = Buffer.alloc(4);
    counter += 1;
    count.writeUInt32BE(counter);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.of(flags), count]);
  }

  /** Returns the public key in COSE: EC2, ES256, P-256. */
  function coseKey(): Buffer {
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const bytes = (text: string) => Buffer.from(text, 'base64url');
    return Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      bytes(x),
      Buffer.from('225820', 'hex'),
      bytes(y),
    ]);
  }

  return {
    create({ challenge, rp }, wrong = {}) {
      const data = Buffer.concat([
        authenticatorData(rp.id, HAS_KEY, wrong),
        Buffer.alloc(16),
        Buffer.of(0, credentialId.length),
        credentialId,
        coseKey(),
      ]);
      // CBOR: { fmt: 'none', attStmt: {}, authData }
      const attestation = Buffer.concat([
        Buffer.from('a3', 'hex'),
        Buffer.from('63666d74646e6f6e65', 'hex'),
        Buffer.from('6761747453746d74a0', 'hex'),
        Buffer.from('686175746844617461', 'hex'),
        Buffer.of(0x58, data.length),
        data,
      ]);
      const response = {
        clientDataJSON: clientData('webauthn.create', challenge, wrong).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      };
      return JSON.stringify({
        id,
        rawId: id,
        type: 'public-key',
        response,
        clientExtensionResults: {},
      });
    },
    sign({ challenge, rpId }, wrong = {}) {
      const client = clientData('webauthn.get', challenge, wrong);
      const data = authenticatorData(rpId, 0, wrong);
      const digest = createHash('sha256').update(client).digest();
      const signature = createSign('sha256').update(data).update(digest).sign(privateKey);
      const response = {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
        ...(wrong.userHandle !== undefined && {
          userHandle: Buffer.from(wrong.userHandle).toString('base64url'),
        }),
      };
      return JSON.stringify({
        id,
        rawId: id,
        type: 'public-key',
        response,
        clientExtensionResults: {},
      });
    },
  };
}

/** Asks for the options of a passkey's request, as a page's script does. */
export async function optionsAt<T>(visitor: Visitor, path: string): Promise<T> {
  const answer = await visitor.post(path, {}, { accept: 'application/json' });
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

const PASSKEYS = '/settings/security/passkeys';

/** Adds an authenticator's passkey to a visitor's account, as the screen leads to it. */
export async function addPasskey(
  visitor: Visitor,
  authenticator: Authenticator,
  name: string,
): Promise<Answer> {
  const options = await optionsAt<Parameters<Authenticator['create']>[0]>(
    visitor,
    `${PASSKEYS}/options`,
  );
  return visitor.post(PASSKEYS, { name, credential: authenticator.create(options) });
}

/** Signs in with a passkey alone. */
export async function signInWithPasskey(
  visitor: Visitor,
  authenticator: Authenticator,
): Promise<Answer> {
  const options = await optionsAt<Parameters<Authenticator['sign']>[0]>(
    visitor,
    '/sign-in/passkey/options',
  );
  return visitor.post('/sign-in/passkey', { credential: authenticator.sign(options), next: '/' });
}
