import { performance } from 'node:perf_hooks';

/** Seconds of warm-up, so that V8 has compiled the hot code. */
const WARM_UP = 3;

/**
 * Writes sequentially for some seconds and prints one line of JSON: the count, and the elapsed and
 * processor time in microseconds.
 */
export async function writeAndReport(
  write: (number: number) => unknown,
  seconds: number,
): Promise<void> {
  let written = 0;
  async function writeFor(duration: number): Promise<number[]> {
    const times: number[] = [];
    const begin = performance.now();
    const end = begin + duration * 1000;
    for (let now = begin; now < end; ) {
      await write(written++);
      const after = performance.now();
      times.push(after - now);
      now = after;
    }
    return times;
  }

  await writeFor(WARM_UP);
  const before = process.cpuUsage();
  const times = (await writeFor(seconds)).sort((a, b) => a - b);
  const { user, system } = process.cpuUsage(before);
  const at = (share: number) => Math.round((times[Math.floor(share * times.length)] ?? 0) * 1000);
  const micros = Math.round(times.reduce((sum, time) => sum + time, 0) * 1000);
  console.log(
    JSON.stringify({
      requests: times.length,
      micros,
      bytes: 0,
      p50: at(0.5),
      p99: at(0.99),
      cpu: user + system,
    }),
  );
}
