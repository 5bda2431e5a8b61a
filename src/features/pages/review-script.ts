import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../../base/package.ts';

/** The script that the client's build creates from `features/review/client/frame/`. */
const BUILT = fileURLToPath(new URL('dist/client/review-frame.js', ROOT));

/**
 * Returns the script to insert in a page that is shown beside its comments. It must run before the
 * page's own scripts.
 *
 * @param webUrl the only parent that gets the script's message port
 * @throws Error with instructions if the client isn't built
 */
export function reviewScript(webUrl: string): string {
  const script = readScript();
  // These would end the script element early, or never.
  if (/<\/script|<!--/i.test(script)) throw new Error(`${BUILT} can’t stand in HTML.`);
  const web = JSON.stringify(new URL(webUrl).origin).replaceAll('<', '\\u003c');
  return `<script>(() => { const webOrigin = ${web}; ${script}\n})()</script>`;
}

function readScript(): string {
  try {
    return readFileSync(BUILT, 'utf8');
  } catch (cause) {
    throw new Error(`The web client is not built (no ${BUILT}): run "npm run build:client".`, {
      cause,
    });
  }
}
