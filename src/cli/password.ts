import { text } from 'node:stream/consumers';

/** Reads a password from standard input, to its end; one line break there is not part of it. */
export async function readPassword(): Promise<string> {
  const password = (await text(process.stdin)).replace(/\r?\n$/, '');
  if (password === '') throw new Error('There is no password on standard input.');
  return password;
}
