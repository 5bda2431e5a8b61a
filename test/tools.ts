import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where the programs are that tests run in processes of their own, with packages of their own. */
export const TOOLS = fileURLToPath(new URL('../../test/tools', import.meta.url));

/** What to do before tests can run these programs, if they aren't installed. */
export const toolsMissing = existsSync(`${TOOLS}/node_modules/.package-lock.json`)
  ? false
  : 'the tools for checking the API’s document: npm ci --prefix test/tools';
