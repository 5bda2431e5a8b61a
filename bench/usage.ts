import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Ticks per second in /proc (proc(5)). */
const TICK_MICROS = 10_000;

const SETTLED_MS = 200;
const SETTLE_WITHIN_MS = 60_000;

/** Returns the processor time of processes and their descendants, in microseconds. */
export function cpuMicros(pids: readonly number[]): number {
  const table = processTable();
  const family = new Set(pids);
  // A set can grow while it is iterated, so descendants are included.
  for (const pid of family) {
    for (const [child, { parent }] of table) if (parent === pid) family.add(child);
  }
  const ticks = [...family].map((pid) => table.get(pid)?.ticks ?? 0);
  return ticks.reduce((sum, each) => sum + each, 0) * TICK_MICROS;
}

/** Waits until processes are idle, so that deferred work of writes counts. */
export async function settle(pids: readonly number[]): Promise<void> {
  const giveUpAt = Date.now() + SETTLE_WITHIN_MS;
  for (let before = -1; ; ) {
    const now = cpuMicros(pids);
    if (now - before <= TICK_MICROS) return;
    if (Date.now() > giveUpAt) throw new Error('The server doesn’t become idle.');
    before = now;
    await sleep(SETTLED_MS);
  }
}

/** Returns a process's resident memory and its peak, in bytes. */
export function memoryOf(pid: number): { resident: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]);
  return { resident: kilobytes('VmRSS') * 1024, peak: kilobytes('VmHWM') * 1024 };
}

/** Returns each process's user and system time and parent, by id. */
function processTable(): Map<number, { parent: number; ticks: number }> {
  const table = new Map<number, { parent: number; ticks: number }>();
  for (const pid of readdirSync('/proc').map(Number).filter(Boolean)) {
    try {
      // The fields follow the name, which can contain spaces and parentheses.
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      table.set(pid, { parent: Number(stat[1]), ticks: Number(stat[11]) + Number(stat[12]) });
    } catch {
      // It has exited.
    }
  }
  return table;
}
