import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram, makeDirectory } from '../servers/server-process.ts';

const run = promisify(execFile);

/** Disk errors by their number on Linux (errno(3)). */
const ERRNO = { EIO: 5, ENOSPC: 28, EROFS: 30, EDQUOT: 122 } as const;

/** A fault of one process's disk. */
export interface Fault {
  begin(pid: number): Promise<unknown>;
  end(pid: number): Promise<unknown>;
}

/** Returns the missing programs for simulating disk faults. */
export function faultsMissing(): string | undefined {
  return ['fiu-run', 'fiu-ctrl', 'prlimit'].every((program) => findProgram(program))
    ? undefined
    : 'fiu-run, fiu-ctrl, prlimit (Debian: apt install fiu-utils libfiu0 util-linux)';
}

/** Makes calls of the C library fail in processes started with `environment`. */
export interface FailingCalls {
  environment: Record<string, string>;
  /** Makes a process's calls fail from its start. */
  fromTheStart(points: readonly string[], errno: keyof typeof ERRNO): Record<string, string>;
  /**
   * @param points the calls, by libfiu's names @param probability of failure; always by default
   */
  fault(points: readonly string[], errno: keyof typeof ERRNO, probability?: number): Fault;
}

export function failingCalls(): FailingCalls {
  const pipes = join(makeDirectory('faults'), 'fiu');
  const shown = execFileSync('fiu-run', ['-x', '-f', pipes, 'env'], { encoding: 'utf8' });
  const lines = shown.split('\n').filter((line) => /^(LD_PRELOAD|FIU_\w+)=./.test(line));
  const environment = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
  const control = (pid: number, commands: string[]) =>
    run('fiu-ctrl', ['-f', pipes, ...commands.flatMap((command) => ['-c', command]), `${pid}`]);
  return {
    environment,
    fromTheStart: (points, errno) => ({
      ...environment,
      FIU_ENABLE: points.map((point) => `enable name=${point},failinfo=${ERRNO[errno]}`).join('\n'),
    }),
    fault(points, errno, probability) {
      const how = probability === undefined ? 'enable' : 'enable_random';
      const often = probability === undefined ? '' : `,probability=${probability}`;
      const parameters = `failinfo=${ERRNO[errno]}${often}`;
      return {
        begin: (pid) =>
          control(
            pid,
            points.map((point) => `${how} name=${point},${parameters}`),
          ),
        end: (pid) =>
          control(
            pid,
            points.map((point) => `disable name=${point}`),
          ),
      };
    },
  };
}

/** No file can grow beyond this size: larger writes are cut short or refused (EFBIG). */
export function fileSizeLimit(bytes: number): Fault {
  const limit = (pid: number, soft: string) =>
    run('prlimit', ['--pid', `${pid}`, `--fsize=${soft}:`]);
  return {
    begin: (pid) => limit(pid, `${bytes}`),
    end: (pid) => limit(pid, 'unlimited'),
  };
}
