import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

/**
 * Reads a password from standard input, without its final line break. At a terminal, asks for one
 * line without showing it.
 */
export async function readPassword(): Promise<string> {
  const password = process.stdin.isTTY
    ? await askPassword()
    : (await text(process.stdin)).replace(/\r?\n$/, '');
  if (password === '') throw new Error('There is no password on standard input.');
  // Nobody could type it.
  if (/[\r\n]/.test(password)) throw new Error('A password is one line, without repeating it.');
  return password;
}

/** @returns '' if cancelled (Ctrl-C, Ctrl-D) */
async function askPassword(): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  // After createInterface, which turns off the terminal's echo.
  process.stderr.write('Password (not shown), then Enter: ');
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    // Leaving the loop doesn't stop reading from the terminal, which would keep the process
    // running.
    lines.close();
    process.stderr.write('\n');
  }
}
