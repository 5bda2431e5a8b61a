import { strict as assert } from 'node:assert';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import GithubSlugger from 'github-slugger';
import { readConfig } from '../src/core/config/read-config.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGES = ['README.md', 'CHANGELOG.md', ...globSync('docs/**/*.md', { cwd: ROOT })];

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Returns a page without code blocks, where brackets and `#` mean something else. */
const proseOf = (path: string) => read(path).replaceAll(/^```.*?^```$/gms, '');

function anchorsOf(path: string): string[] {
  const slugger = new GithubSlugger();
  return [...proseOf(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    slugger.slug(heading.replaceAll(/\[(.*?)\]\(.*?\)/g, '$1')),
  );
}

describe('Documentation', () => {
  it('every link leads to a file, and to a heading in it', () => {
    for (const page of PAGES) {
      const prose = proseOf(page).replaceAll(/`[^`\n]*`/g, '');
      for (const [, link = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(link)) continue;
        const [path, anchor] = link.split('#') as [string, string?];
        const target = path ? normalize(join(dirname(page), path)) : page;
        assert.ok(existsSync(join(ROOT, target)), `${page}: ${link}`);
        if (anchor) assert.ok(anchorsOf(target).includes(anchor), `${page}: ${link}`);
      }
    }
  });

  it('no command installs a package named briefs, which others could publish', () => {
    for (const page of [...PAGES, 'briefs-cli/README.md', 'src/main.ts']) {
      assert.doesNotMatch(read(page), /npx (?!--no-install )(?:-\S+ )*briefs\b/, page);
    }
  });

  it('every page that code mentions exists', () => {
    const files = [
      '{src,test,bench,briefs-cli}/**/*.ts*',
      'deploy/{*.*,Dockerfile,github-action/*}',
    ];
    for (const file of files.flatMap((pattern) =>
      globSync(pattern, { cwd: ROOT, exclude: ['**/node_modules'] }),
    )) {
      for (const [page] of read(file).matchAll(/\bdocs\/[a-z]+\/[\w-]+\.md\b/g)) {
        assert.ok(existsSync(join(ROOT, page)), `${file}: ${page}`);
      }
    }
  });

  it('docs/operate/settings.md lists every setting', () => {
    const tables = read('docs/operate/settings.md');
    const listed = [...tables.matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \|/gm)].flatMap(
      ([, names = '']) => names.replaceAll('`', '').split(', '),
    );
    // The error about an unknown setting lists all known ones.
    assert.throws(
      () => readConfig({ BRIEFS_X: '1' }),
      ({ message }: Error) => {
        const known = /known are ([A-Z_, ]+)\)/.exec(message)?.[1]?.split(', ');
        assert.deepEqual(listed.sort(), known?.sort());
        return true;
      },
    );
  });
});
