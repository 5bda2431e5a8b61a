import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The protocol’s own conformance suite. npx fetches it. */
const CONFORMANCE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';

/** The revisions for which the suite has requirements. */
export const REVISIONS = ['2025-11-25', '2026-07-28'];

/** The result of the suite: the number of checks by outcome, and its last output. */
export interface Outcome {
  passed: boolean;
  checks: Record<string, number>;
  /** The `scenario:check` of every check that neither succeeded nor is informational. */
  others: string[];
}

/**
 * Runs the suite with these arguments, and shows the end of what it says: the summary.
 *
 * @param watch is given each line as it comes
 */
export async function runSuite(
  args: string[],
  watch: (line: string) => void = () => {},
): Promise<Outcome> {
  const results = mkdtempSync(join(tmpdir(), 'briefs-conformance-'));
  try {
    const command = ['--yes', CONFORMANCE, ...args, '--output-dir', results];
    const child = spawn('npx', command, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [[code], text] = await Promise.all([once(child, 'exit'), readLines(child, watch)]);
    console.log(text.slice(Math.max(0, text.indexOf('=== SUMMARY ==='))));
    return { passed: code === 0, ...readChecks(results) };
  } finally {
    rmSync(results, { recursive: true, force: true });
  }
}

async function readLines(child: ChildProcess, watch: (line: string) => void): Promise<string> {
  let text = '';
  let rest = '';
  for await (const part of child.stdout ?? []) {
    text += part;
    const lines = `${rest}${part}`.split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(watch);
  }
  return text;
}

/** Each scenario has written a directory named after it and the time. */
function readChecks(results: string): Pick<Outcome, 'checks' | 'others'> {
  const checks: Record<string, number> = {};
  const others: string[] = [];
  for (const directory of readdirSync(results)) {
    const scenario = directory.replace(/-\d{4}-\d\d-\d\dT.*$/, '');
    for (const { id, status } of JSON.parse(
      readFileSync(join(results, directory, 'checks.json'), 'utf8'),
    )) {
      checks[status] = (checks[status] ?? 0) + 1;
      if (status !== 'SUCCESS' && status !== 'INFO') others.push(`${scenario}:${id} ${status}`);
    }
  }
  return { checks, others };
}
