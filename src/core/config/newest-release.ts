import { VERSION } from '../../base/package.ts';
import { DAY_MS } from '../../base/time/clock.ts';

/** How long an answer can take. After that, nothing is said of releases until the next day. */
const WITHIN_MS = 2_000;

/** A release that is newer than what runs. */
export interface Release {
  version: string;
  /** Where it is described. */
  url: string;
}

/** Returns a release that is newer than what runs; `undefined` if there is none, or nobody says so. */
export type ReleaseCheck = () => Promise<Release | undefined>;

/**
 * Creates a check that asks for the latest release, at most once a day.
 *
 * @param url what answers with the latest release as JSON, with `tag_name` and `html_url`
 * @param warn is told when it doesn't answer as it should
 */
export function createReleaseCheck(url: string, warn: (reason: string) => void): ReleaseCheck {
  let found: Promise<Release | undefined> = Promise.resolve(undefined);
  let askAgainAt = Number.NEGATIVE_INFINITY;

  async function ask(): Promise<Release | undefined> {
    try {
      const response = await fetch(url, {
        headers: { accept: 'application/json', 'user-agent': 'Briefs' },
        signal: AbortSignal.timeout(WITHIN_MS),
      });
      if (!response.ok) throw new Error(`it answers ${response.status}`);
      // As GitHub, Gitea and Forgejo answer.
      const { tag_name: tag, html_url: address } = await response.json();
      const [, version] = /^v?(\d+(?:\.\d+)+)$/.exec(`${tag}`) ?? [];
      if (version === undefined || !/^https?:/.test(`${address}`)) {
        throw new Error('it names no release (tag_name, html_url)');
      }
      const isNewer = version.localeCompare(VERSION, 'en', { numeric: true }) > 0;
      return isNewer ? { version, url: `${address}` } : undefined;
    } catch (error) {
      warn(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  return () => {
    if (performance.now() >= askAgainAt) {
      askAgainAt = performance.now() + DAY_MS;
      found = ask();
    }
    return found;
  };
}
