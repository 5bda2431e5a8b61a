import { isMacOf, macOf } from '../../base/crypto/mac.ts';
import { deriveKey } from '../../base/crypto/seal.ts';
import { TOPICS, type Topic } from '../../base/schema/mail.ts';

/** What an unsubscribe link turns off. */
export interface Unsubscription {
  accountId: string;
  topics: Topic[];
}

/**
 * Returns the token of an unsubscribe link: what it turns off, with an HMAC. It never expires,
 * because people keep mails for years.
 *
 * @param secret shared by all processes
 */
export function unsubscribeToken({ accountId, topics }: Unsubscription, secret: string): string {
  const claim = `${topics.join('+')}.${accountId}`;
  return `${claim}.${macOf(claim, keyOf(secret))}`;
}

/** Parses a token; `undefined` unless it was signed with one of the secrets. */
export function readUnsubscribeToken(
  token: string,
  secrets: readonly string[],
): Unsubscription | undefined {
  const [, claim = '', names = '', accountId = '', mac = ''] =
    /^(([a-z+]{1,60})\.([0-9a-f-]{36}))\.([\w-]{43})$/.exec(token) ?? [];
  if (!secrets.some((secret) => isMacOf(mac, claim, keyOf(secret)))) return undefined;
  const topics = names.split('+').filter((name): name is Topic => TOPICS.includes(name as Topic));
  return { accountId, topics };
}

function keyOf(secret: string): Uint8Array {
  return deriveKey(secret, 'unsubscribe');
}
