import { strict as assert } from 'node:assert';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { within } from '../process.ts';
import { startWork } from './work.ts';

const skip =
  spawnSync('script', ['--version']).stdout?.includes('util-linux') !== true &&
  'needs script of util-linux';

describe('In a shell', { skip }, () => {
  const work = startWork();

  /** Types lines at the prompt of bash. @returns the arguments of each call of `briefs` */
  async function typed(...lines: string[]): Promise<string[]> {
    const terminal = spawn('script', ['-qec', 'bash --norc -i', '/dev/null'], {
      cwd: work.desk.folder,
      env: { ...work.desk.environment, TERM: 'dumb' },
    });
    const setUp = ['. <(briefs completion bash)', `briefs() { printf '«%s»\\n' "$*"; }`];
    terminal.stdin.write(`${[...setUp, ...lines, 'exit'].join('\n')}\n`);
    const ended = Promise.all([text(terminal.stdout), once(terminal, 'close')]);
    const [shown] = await within(ended, 'bash');
    return [...shown.matchAll(/«([^%»]*)»/g)].map(([, call = '']) => call);
  }

  it('Tab completes commands, options, their values, and files', async () => {
    work.desk.write('meeting notes.md', '# Notes\n');
    assert.deepEqual(
      await typed(
        'briefs pus\tmee\t--vis\tint\t',
        'briefs --json completion f\t',
        'briefs comm\ts mee\t',
      ),
      [
        'push meeting notes.md --visibility internal',
        '--json completion fish',
        'comments meeting notes.md',
      ],
    );
  });

  it('the scripts name every command', async () => {
    const { stdout: help } = await work.desk.run('--help');
    const commands = [...help.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
    assert.ok(commands.includes('completion'), help);
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { stdout } = await work.desk.run('completion', shell);
      for (const command of commands) assert.match(stdout, new RegExp(`\\b${command}\\b`));
    }
    assert.equal((await work.desk.run('completion', 'csh')).code, 2);
  });
});
