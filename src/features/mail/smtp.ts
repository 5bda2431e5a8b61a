import { domainToASCII } from 'node:url';
import { createTransport } from 'nodemailer';
import type { MailServer } from '../../core/config/config.ts';
import type { Letter } from './compose-service.ts';

/** Sends mails to a server. */
export interface SendMail {
  /**
   * @returns what the server answered, such as `250 OK`
   * @throws the server's or the network's error
   */
  send(letter: Letter): Promise<string>;
  close(): void;
}

const CONNECT_WITHIN_MS = 10_000;
const ANSWER_WITHIN_MS = 30_000;

/** Names a document as a list, `<plan.ada.example.com>` (RFC 2919), in the letters of host names. */
function listId(list: string, domain: string): string {
  const [owner, name] = list.split('/');
  return `<${domainToASCII(`${name}.${owner}.${domain}`) || domain}>`;
}

export function openSmtp(server: MailServer): SendMail {
  const { host, port, secure, requireTls, login, from } = server;
  const transport = createTransport({
    host,
    port,
    secure,
    requireTLS: requireTls,
    ...(login && { auth: { user: login.user, pass: login.password } }),
    connectionTimeout: CONNECT_WITHIN_MS,
    greetingTimeout: CONNECT_WITHIN_MS,
    socketTimeout: ANSWER_WITHIN_MS,
    // Never reads files or addresses into a mail.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  const idOf = (name: string) => `<${name}@${domain}>`;
  return {
    async send({ to, subject, text, html, id, threads, list, unsubscribeUrl }) {
      const { response } = await transport.sendMail({
        from,
        to,
        subject,
        text,
        html,
        // Passed as an object, so that an address with a comma isn't read as two.
        envelope: { from: from.address, to: to.address },
        messageId: idOf(id),
        references: threads.map(idOf),
        inReplyTo: idOf(threads.at(-1) as string),
        headers: {
          'Auto-Submitted': 'auto-generated',
          ...(list !== undefined && { 'List-Id': { prepared: true, value: listId(list, domain) } }),
          ...(unsubscribeUrl !== undefined && {
            // On one line, because some mail programs don't unfold it.
            'List-Unsubscribe': { prepared: true, value: `<${unsubscribeUrl}>` },
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
        },
      });
      return response;
    },
    close: () => transport.close(),
  };
}
