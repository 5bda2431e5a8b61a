import { lookup } from 'node:dns';
import { connect, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AbstractConnector, type RedisOptions } from 'ioredis';

/**
 * Connects to Redis like the library's own connector, but looks up its name only once at a time. A process
 * runs two look-ups at once and can't end them. With a name server that doesn't answer, those of attempts
 * that were given up would keep PostgreSQL and S3 from being looked up.
 */
export class RedisConnector extends AbstractConnector {
  readonly #options: RedisOptions;
  /** Those who wait for the look-up that runs. */
  #waiting: Parameters<LookupFunction>[2][] = [];

  /** @param options those of the client, without a path */
  constructor(options: unknown) {
    const { disconnectTimeout = 0 } = options as RedisOptions;
    super(disconnectTimeout);
    this.#options = options as RedisOptions;
  }

  override async connect(): Promise<Socket> {
    this.connecting = true;
    // The library may give up before it has the connection.
    await new Promise((resolve) => process.nextTick(resolve));
    if (!this.connecting) throw new Error('the connection was closed');
    const { host = 'localhost', port = 6379, tls } = this.#options;
    const place = { host, port, lookup: this.#lookUp };
    const socket = tls ? connectTls({ ...place, ...tls }) : connect(place);
    socket.once('error', (error) => {
      this.firstError = error;
    });
    this.stream = socket;
    return socket;
  }

  /** All ask for the same name, with the same options. */
  readonly #lookUp: LookupFunction = (host, options, done) => {
    this.#waiting.push(done);
    if (this.#waiting.length > 1) return;
    lookup(host, options, (...answer) => {
      for (const each of this.#waiting.splice(0)) each(...answer);
    });
  };
}
