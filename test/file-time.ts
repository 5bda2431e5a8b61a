import { readFileSync } from 'node:fs';

/** What a test file took. */
export interface FileTime {
  name: string;
  /** Of this process and of the processes that it started and that have ended. */
  cpuMs: number;
  ms: number;
}

/** Starts to measure; the returned function ends it. */
export function takeTime(name: string): () => FileTime {
  const [start, cpu] = [performance.now(), cpuTime()];
  return () => ({ name, cpuMs: cpuTime() - cpu, ms: performance.now() - start });
}

function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + ofChildren();
}

/** Linux counts it in ticks of 10 ms. */
function ofChildren(): number {
  if (process.platform !== 'linux') return 0;
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) * 10;
}
