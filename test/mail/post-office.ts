import { strict as assert } from 'node:assert';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import type { Service } from '../harness.ts';
import { until } from '../until.ts';

/** A received mail. */
export interface Delivered extends ParsedMail {
  raw: string;
  /** The recipients of the envelope. */
  recipients: string[];
}

/** An SMTP server on this machine. */
export interface PostOffice {
  port: number;
  settings: Record<string, string>;
  /** The mails so far. */
  mails: Delivered[];
  /** The server's response to mails: 250, or an error. */
  answer: number;
  /** How often a mail was refused. */
  refused: number;
  /** Called with each mail before it is acknowledged. */
  onMail: () => Promise<void> | void;
  /** Waits until there are this many mails, and returns the newest. */
  waitFor(count: number): Promise<Delivered>;
  close(): Promise<void>;
}

export async function openPostOffice(port = 0): Promise<PostOffice> {
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo(_address, _session, callback) {
      if (office.answer < 500) return callback();
      office.refused += 1;
      callback(failure(office.answer));
    },
    async onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      if (office.answer !== 250) {
        office.refused += 1;
        return callback(failure(office.answer));
      }
      const raw = Buffer.concat(chunks).toString();
      const recipients = session.envelope.rcptTo.map(({ address }) => address);
      const parsed = await simpleParser(raw, { skipTextToHtml: true, skipImageLinks: true });
      office.mails.push({ ...parsed, raw, recipients });
      await office.onMail();
      callback();
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.server.address();
  assert.ok(typeof address === 'object' && address);
  const office: PostOffice = {
    port: address.port,
    settings: {
      SMTP_URL: `smtp://127.0.0.1:${address.port}`,
      MAIL_FROM: 'Briefs <briefs@mail.example>',
    },
    mails: [],
    answer: 250,
    refused: 0,
    onMail() {},
    async waitFor(count) {
      await until(`${count} mails`, () => office.mails.length >= count);
      assert.equal(office.mails.length, count, office.mails.map(({ subject }) => subject).join());
      return office.mails.at(-1) as Delivered;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return office;
}

function failure(responseCode: number): Error {
  return Object.assign(new Error('not now'), { responseCode });
}

/** Waits until every event is placed. */
export async function eventsPlaced({ app }: Service): Promise<void> {
  const { read } = app.context.sql;
  await until('all events placed', async () => {
    const waiting = await read
      .selectFrom('event')
      .where('position', 'is', null)
      .select('id')
      .execute();
    return waiting.length === 0;
  });
}

/** Counts the queued mails; digests stay in the queue until they are due. */
export async function queued({ app }: Service): Promise<number> {
  const { read } = app.context.sql;
  const rows = await read.selectFrom('mail').where('kind', '<>', 'digest').select('id').execute();
  return rows.length;
}

/** Waits until the events are placed and their mails are due and sent or dropped. */
export async function sendAll(service: Service): Promise<void> {
  await eventsPlaced(service);
  service.advance(5 * 60_000);
  await until('an empty queue', async () => (await queued(service)) === 0);
}

/** Marks a user's address as verified, as if they had opened the link. */
export async function verify({ app }: Service, username: string): Promise<void> {
  const { sql } = app.context;
  await sql.transaction(async (tx) => {
    const owner = tx.selectFrom('owner').where('namespace', '=', username).select('id');
    await tx
      .updateTable('account')
      .set({ emailVerifiedAt: app.context.now() })
      .where('id', '=', owner)
      .execute();
  });
}

/** Stores a verified address of a user as an earlier version did, without checking it. */
export async function storeAddress(
  { app }: Service,
  username: string,
  email: string,
): Promise<void> {
  await app.context.sql.transaction(async (tx) => {
    const owner = tx.selectFrom('owner').where('namespace', '=', username).select('id');
    await tx
      .updateTable('account')
      .set({ email, emailKey: email.toLowerCase(), emailVerifiedAt: app.context.now() })
      .where('id', '=', owner)
      .execute();
  });
}

/** Settings with which mails are queued, although no server accepts them. */
export const UNSENT_MAIL = {
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'briefs@mail.example',
};

/** Waits for the mail that verifies a user's address, removes it, and returns the path of its link. */
export async function verificationPath(office: PostOffice, address: string): Promise<string> {
  const find = () =>
    office.mails.findIndex(
      ({ recipients, subject }) =>
        recipients[0] === address && subject === 'Verify your email address',
    );
  await until(`a mail to ${address}`, () => find() >= 0);
  const [mail] = office.mails.splice(find(), 1);
  return /\/verify\/\S+/.exec(mail?.text ?? '')?.[0] ?? '';
}
