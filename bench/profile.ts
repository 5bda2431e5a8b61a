import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The used fields of a V8 profile (Chrome DevTools Protocol, Profiler.Profile). */
interface Profile {
  nodes: {
    id: number;
    callFrame: { functionName: string; url: string; lineNumber: number };
  }[];
  /** Microseconds, on the clock of `process.hrtime`. */
  startTime: number;
  samples: number[];
  timeDeltas: number[];
}

/** A function or library and its microseconds. */
export interface Share {
  name: string;
  micros: number;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** V8's names for time outside the program. */
const IDLE = '(idle)';

/**
 * Returns the self time of functions and libraries of a process under load.
 *
 * @param directory the value of `--cpu-prof-dir`
 * @param pid the process, of which only the main thread counts
 * @param from to the period, in microseconds on the clock of `process.hrtime`
 */
export function readProfile(
  directory: string,
  pid: number,
  { from, to }: { from: number; to: number },
): { functions: Share[]; libraries: Share[]; micros: number } {
  // CPU.<date>.<time>.<pid>.<thread>.<number>.cpuprofile
  const [file = ''] = globSync(join(directory, `CPU.*.${pid}.0.*.cpuprofile`));
  const profile: Profile = JSON.parse(readFileSync(file, 'utf8'));
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const functions = new Map<string, number>();
  const libraries = new Map<string, number>();
  let time = profile.startTime;
  let micros = 0;
  for (const [index, id] of profile.samples.entries()) {
    const delta = profile.timeDeltas[index] ?? 0;
    time += delta;
    const frame = frames.get(id);
    if (!frame || frame.functionName === IDLE || time < from || time > to) continue;
    micros += delta;
    add(functions, nameOf(frame), delta);
    add(libraries, libraryOf(frame), delta);
  }
  return { functions: ranked(functions), libraries: ranked(libraries), micros };
}

function add(sums: Map<string, number>, name: string, micros: number): void {
  sums.set(name, (sums.get(name) ?? 0) + micros);
}

function ranked(sums: Map<string, number>): Share[] {
  return [...sums].map(([name, micros]) => ({ name, micros })).sort((a, b) => b.micros - a.micros);
}

type Frame = Profile['nodes'][number]['callFrame'];

function nameOf({ functionName, url, lineNumber }: Frame): string {
  const name = functionName || '(anonymous)';
  return url ? `${name}  ${pathOf(url)}:${lineNumber + 1}` : name;
}

/** Returns the package, our folder, Node module or V8 activity. */
function libraryOf({ functionName, url }: Frame): string {
  if (!url) return functionName.startsWith('(') ? functionName : 'native code';
  const path = pathOf(url);
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
  if (name) return name;
  return path.startsWith('node:') ? path : path.split('/').slice(0, -1).join('/');
}

function pathOf(url: string): string {
  return url.startsWith('file:') ? fileURLToPath(url).replace(ROOT, '') : url;
}
