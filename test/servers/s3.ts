import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { freePorts } from '../free-ports.ts';
import {
  findProgram,
  makeDirectory,
  removeDirectory,
  type ServerProcess,
  startServerProcess,
} from './server-process.ts';

/** An S3 server: Ceph's gateway with the smallest possible cluster, all in memory. */
export interface S3Server {
  /** A value for BLOB_URL with its own prefix in the server's only bucket. */
  url(prefix: string): string;
  credentials: { accessKeyId: string; secretAccessKey: string };
  /** The same as settings of the service. */
  environment: { AWS_ACCESS_KEY_ID: string; AWS_SECRET_ACCESS_KEY: string };
  /** Makes the server unresponsive: it accepts connections and answers nothing. */
  pause(): void;
  resume(): void;
  /** Ends its processes and removes its files. */
  stop(): Promise<void>;
}

/** The required programs and their Debian packages. */
const PACKAGES = {
  ceph: 'ceph-common',
  'ceph-mon': 'ceph-mon',
  'ceph-osd': 'ceph-osd',
  radosgw: 'radosgw',
  'radosgw-admin': 'radosgw',
};

const BUCKET = 'briefs-test';
const REGION = 'us-east-1';
const COMMAND_WITHIN_MS = 60_000;

const run = promisify(execFile);

/** Returns the missing programs. */
export function s3ServerMissing(): string | undefined {
  const missing = Object.entries(PACKAGES).filter(([program]) => !findProgram(program));
  const packages = new Set(missing.map(([, name]) => name));
  return missing.length === 0
    ? undefined
    : `${missing.map(([program]) => program).join(', ')} (Debian: apt install ${[...packages].join(' ')})`;
}

/**
 * Starts an S3 server on ports and in a directory of its own, with a user and an empty bucket,
 * within a second or two.
 *
 * @throws Error with what its processes said when it does not come up
 */
export async function startS3Server(): Promise<S3Server> {
  const directory = makeDirectory('s3');
  const [monitorPort = 0, gatewayPort = 0] = await freePorts(2);
  const endpoint = `http://127.0.0.1:${gatewayPort}`;
  const credentials = { accessKeyId: 'TESTKEY', secretAccessKey: randomUUID() };
  const processes: ServerProcess[] = [];
  async function stop(): Promise<void> {
    await Promise.all(processes.map((process) => process.kill('SIGKILL')));
    removeDirectory(directory);
  }
  try {
    writeFileSync(join(directory, 'ceph.conf'), settings(directory, monitorPort));
    const ceph = { directory, ...programsOf(directory) };
    await startCluster(ceph, processes);
    // Waits until the storage daemon is up, and creates what the gateway would otherwise create.
    await ceph.run('radosgw-admin', [
      'user',
      'create',
      '--uid=briefs',
      '--display-name=briefs',
      `--access-key=${credentials.accessKeyId}`,
      `--secret=${credentials.secretAccessKey}`,
    ]);
    const gateway = await ceph.start(
      'radosgw',
      [
        '-n',
        'client.rgw.a',
        `--rgw-frontends=beast endpoint=127.0.0.1:${gatewayPort} tcp_nodelay=1`,
      ],
      () => fetch(endpoint),
    );
    processes.push(gateway);
    await createBucket(endpoint, credentials);
    return {
      url: (prefix) =>
        `s3://${BUCKET}/${prefix}?endpoint=${encodeURIComponent(endpoint)}&region=${REGION}`,
      credentials,
      environment: {
        AWS_ACCESS_KEY_ID: credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      },
      pause: () => void gateway.kill('SIGSTOP'),
      resume: () => void gateway.kill('SIGCONT'),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Ceph's programs, with the path of their settings. */
interface Ceph {
  directory: string;
  /** Runs a program to its end. @throws Error with its output if it fails */
  run(program: string, args: string[]): Promise<unknown>;
  start(program: string, args: string[], answers: () => Promise<unknown>): Promise<ServerProcess>;
}

function programsOf(directory: string): Pick<Ceph, 'run' | 'start'> {
  const common = ['-c', join(directory, 'ceph.conf')];
  return {
    run: (program, args) =>
      run(program, [...common, ...args], { cwd: directory, timeout: COMMAND_WITHIN_MS }),
    start: (program, args, answers) =>
      startServerProcess(program, ['-f', ...common, ...args], { directory, answers }),
  };
}

/** One monitor and one storage daemon. Adds running processes to `processes`. */
async function startCluster(ceph: Ceph, processes: ServerProcess[]): Promise<void> {
  const osd = randomUUID();
  for (const data of ['mon', 'osd']) mkdirSync(join(ceph.directory, data));
  await ceph.run('ceph-mon', ['--mkfs', '-i', 'a']);
  const announce = () => ceph.run('ceph', ['osd', 'new', osd]);
  processes.push(await ceph.start('ceph-mon', ['-i', 'a'], announce));
  await ceph.run('ceph-osd', ['--mkfs', '-i', '0', '--osd-uuid', osd]);
  processes.push(await ceph.start('ceph-osd', ['-i', '0'], async () => {}));
}

function settings(directory: string, monitorPort: number): string {
  return `[global]
fsid = ${randomUUID()}
mon host = v2:127.0.0.1:${monitorPort}
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind msgr1 = false

# Nobody has to prove anything inside. The gateway would insist on encryption, which needs keys.
auth cluster required = none
auth service required = none
auth client required = none
auth allow insecure global id reclaim = true
ms mon client mode = crc

# One copy of everything, in memory.
osd objectstore = memstore
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd crush chooseleaf type = 0
mon allow pool size one = true
mon data avail warn = 0
mon data avail crit = 0

# By default the monitor gathers changes for a second; the start is a row of some fifteen of them.
paxos propose interval = 0.01
paxos min wait = 0.01

# What the gateway makes at its start, once instead of many times.
rgw num control oids = 1
rgw gc max objs = 1
rgw lc max objs = 1
rgw objexp hints num shards = 1
rgw run sync thread = false
rgw dynamic resharding = false

mon data = ${directory}/mon
osd data = ${directory}/osd
rgw data = ${directory}/rgw
run dir = ${directory}
admin socket =
pid file =
log file =

[mon.a]
public addr = v2:127.0.0.1:${monitorPort}
`;
}

async function createBucket(endpoint: string, credentials: S3Server['credentials']): Promise<void> {
  const client = new S3Client({ endpoint, region: REGION, forcePathStyle: true, credentials });
  try {
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  } finally {
    client.destroy();
  }
}
