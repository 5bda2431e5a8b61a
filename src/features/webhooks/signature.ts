import { createHmac } from 'node:crypto';

/** The length of a secret. The specification asks for 24 to 64 bytes. */
export const SECRET_BYTES = 32;

const PREFIX = 'whsec_';

/**
 * Formats a secret as the specification requires. @param bytes {@link SECRET_BYTES} random bytes
 */
export function formatSecret(bytes: Uint8Array): string {
  return PREFIX + Buffer.from(bytes).toString('base64');
}

/** A message to sign. */
export interface Message {
  id: string;
  /** Unix time in seconds. */
  timestamp: number;
  body: string;
}

/**
 * Returns the headers that identify and sign a message (Standard Webhooks specification 1.0.0,
 * "Webhook headers").
 *
 * @param secrets from {@link formatSecret}; one signature for each
 */
export function signedHeaders(message: Message, secrets: readonly string[]) {
  const { id, timestamp, body } = message;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
