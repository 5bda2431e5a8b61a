import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';

/** Names below this domain get no answer. */
export const SILENT = 'silent.example';

/** A name server on this machine, over UDP. */
export interface NameServer {
  /** As the service takes it. */
  address: string;
  /** The questions so far, such as `A www.example`, repeated ones included. */
  questions: string[];
  /** Lists the different names below {@link SILENT} that were asked for so far. */
  silentNames(): string[];
  close(): void;
}

const TYPES: Record<number, string> = { 1: 'A', 28: 'AAAA' };

/** Starts a name server. @param known the addresses of each name that exists */
export async function startNameServer(
  known: Record<string, readonly string[]>,
): Promise<NameServer> {
  const questions: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, { port, address }) => {
    const { name, type, end } = readQuestion(message);
    questions.push(`${TYPES[type] ?? type} ${name}`);
    if (name.endsWith(`.${SILENT}`)) return;
    const found = (known[name] ?? []).map((each) => ipaddr.parse(each).toByteArray());
    const length = type === 1 ? 4 : 16;
    const addresses = found.filter((bytes) => bytes.length === length);
    socket.send(
      answerTo(message.subarray(0, end), addresses, { type, exists: name in known }),
      port,
      address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const namesOf = () => questions.map((question) => question.split(' ')[1] as string);
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    silentNames: () => [...new Set(namesOf().filter((name) => name.endsWith(SILENT)))],
    close: () => socket.close(),
  };
}

/** Reads the question of a message (RFC 1035, section 4.1.2). */
function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** @param question the message up to the end of its question */
function answerTo(
  question: Buffer,
  addresses: readonly number[][],
  { type, exists }: { type: number; exists: boolean },
): Buffer {
  const head = Buffer.from(question);
  // A response, with recursion; NXDOMAIN if there is no such name.
  head.writeUInt16BE(exists ? 0x8180 : 0x8183, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const records = addresses.map((bytes) => {
    const record = Buffer.alloc(12);
    // The name is that of the question.
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(bytes.length, 10);
    return Buffer.concat([record, Buffer.from(bytes)]);
  });
  return Buffer.concat([head, ...records]);
}
