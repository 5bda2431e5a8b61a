import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { Api } from '../api.ts';
import {
  credentialsPath,
  type Login,
  readCredentials,
  storeClient,
  storeLogin,
} from '../credentials.ts';
import {
  type DeviceCodes,
  discover,
  revoke,
  SCOPES,
  serverOf,
  signIn,
  signInElsewhere,
} from '../oauth.ts';
import { ApiError, CommandError, EXIT, oneLine } from '../outcome.ts';
import { begin, type CommonFlags } from '../run.ts';

/** Adds login and logout. */
export function addLoginCommands(program: Command): void {
  program
    .command('login')
    .description('sign in to a server, in your browser or with a token')
    .argument('<address>', 'of the web app or the API')
    .option('--token <token>', 'store this token; - reads it from standard input')
    .option('--no-browser', 'sign in with a browser of another computer or phone')
    .option('--scopes <scopes>', 'what the sign-in may do, separated by commas', SCOPES)
    .action(async (address: string, _flags, command: Command) => {
      const flags = command.optsWithGlobals<
        CommonFlags & { token?: string; browser: boolean; scopes: string }
      >();
      const { output } = begin(flags);
      const base = await discover(address);
      const server = serverOf(base);
      warnIfOpen(base);
      const login =
        flags.token === undefined
          ? await signInWithBrowser(base, flags.browser, flags.scopes.replaceAll(',', ' '))
          : { base, token: flags.token === '-' ? (await text(process.stdin)).trim() : flags.token };
      const username = await checkLogin(server, login);
      storeLogin(server, login, true);
      const who = username === undefined ? '' : ` as ${username}`;
      output.print({ server, username: username ?? null }, [
        oneLine(`Signed in to ${server}${who}. The token is in ${credentialsPath()}.`),
      ]);
    });

  program
    .command('logout')
    .description('sign out of a server; a token from a browser sign-in is also revoked')
    .argument('[address]', 'by default the server that you signed in to last')
    .action(async (address: string | undefined, _flags, command: Command) => {
      const { current, servers } = readCredentials();
      const server = address === undefined ? current : serverOf(address);
      const login = server === undefined ? undefined : servers[server];
      if (!server || !login)
        throw new CommandError(`You aren’t signed in${address ? ` to ${address}` : ''}.`);
      await revoke(login);
      storeLogin(server, undefined);
      const { output } = begin(command.optsWithGlobals<CommonFlags>());
      output.print({ server }, [oneLine(`Signed out of ${server}.`)]);
    });
}

/**
 * Opens an address in the browser, with the program in `BROWSER` or the system's. There may be no
 * browser, so callers also print the address.
 *
 * @returns `false` if the program can't be started
 */
export async function openInBrowser(url: string): Promise<boolean> {
  const [program, ...args] = opener();
  if (program === undefined) return false;
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  child.unref();
  // `spawn` reports by an event whether the program exists.
  return Promise.race([
    once(child, 'spawn').then(() => true),
    once(child, 'error').then(() => false),
  ]).catch(() => false);
}

function opener(): string[] {
  if (process.env.BROWSER) return [process.env.BROWSER];
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return ['xdg-open'];
}

/** Tells whether somebody would see a browser that opens here. */
function hasScreen(): boolean {
  const { BROWSER, DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION } = process.env;
  if (BROWSER || DISPLAY || WAYLAND_DISPLAY) return true;
  return ['darwin', 'win32'].includes(process.platform) && !SSH_CONNECTION;
}

/**
 * Signs a user in with the browser of this computer. If there is none, with another’s; a server that
 * can't do that gets the browser’s address printed.
 */
async function signInWithBrowser(base: string, wanted: boolean, scopes: string): Promise<Login> {
  const server = serverOf(base);
  const clients = () => ({
    known: readCredentials().clients[server],
    store: (clientId: string) => storeClient(server, clientId),
  });
  const show = async (url: string, needsBrowser: boolean) => {
    if (needsBrowser && !(await openInBrowser(url))) return false;
    console.error(`Sign in at this address:\n${oneLine(url)}`);
    return true;
  };
  const here =
    wanted && hasScreen()
      ? await signIn(base, clients(), (url) => show(url, true), scopes)
      : undefined;
  const login =
    here ??
    (await signInElsewhere(base, clients(), showCode, scopes)) ??
    (await signIn(base, clients(), (url) => show(url, false), scopes));
  return login as Login;
}

function showCode(codes: DeviceCodes): void {
  const { user_code, verification_uri, verification_uri_complete: complete } = codes;
  const at = `Open this address in any browser:\n${oneLine(verification_uri)}`;
  const withCode = typeof complete === 'string' ? `\nOr with the code: ${oneLine(complete)}` : '';
  console.error(`${at}\nand enter the code ${oneLine(user_code)}.${withCode}`);
}

/** @returns the username, if the token can read it */
async function checkLogin(server: string, login: Login): Promise<string | undefined> {
  try {
    const { json } = await new Api(server, login, false).request('/user');
    return String(json?.data?.username);
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined;
    if (error instanceof ApiError && error.status === 401) {
      throw new CommandError(`${server} refuses this token.`, EXIT.signedOut);
    }
    throw error;
  }
}

function warnIfOpen(base: string): void {
  const { protocol, hostname } = new URL(base);
  if (protocol === 'https:' || /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)) return;
  console.error(`Warning: ${base} is not encrypted. Others on the network can read your token.`);
}
