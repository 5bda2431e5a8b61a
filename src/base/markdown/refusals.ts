import { createHash } from 'node:crypto';
import type { Task } from './render-threads.ts';

const REMEMBERED = 512;

/** Remembers sources that were too costly, so that viewing a hostile one again costs nothing. */
export function createRefusals(lastingMs: number) {
  const until = new Map<string, number>();
  return {
    has(task: Task): boolean {
      const key = digest(task);
      const end = until.get(key);
      if (end === undefined) return false;
      if (end > performance.now()) return true;
      until.delete(key);
      return false;
    },
    add(task: Task): void {
      until.set(digest(task), performance.now() + lastingMs);
      const [oldest] = until.keys();
      if (until.size > REMEMBERED && oldest !== undefined) until.delete(oldest);
    },
  };
}

function digest({ name, source }: Task): string {
  return `${name} ${createHash('sha256').update(source).digest('base64')}`;
}
