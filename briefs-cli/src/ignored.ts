import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { CommandError } from './outcome.ts';

/** A file that says which files of its folder are no documents, in the syntax of `.gitignore`. */
const FILE = '.briefsignore';

/** Rules of one folder, and those of the folders around it. */
export class Ignored {
  readonly #rules: readonly { below: string; rules: Ignore }[];

  private constructor(rules: readonly { below: string; rules: Ignore }[]) {
    this.#rules = rules;
  }

  /** @param excludes patterns that apply below the folder, besides its {@link FILE} */
  static in(folder: string, excludes: readonly string[]): Ignored {
    const rules = ignore().add([...excludes]);
    return new Ignored([{ below: '', rules }]).inside(folder, '');
  }

  /**
   * Adds the rules of a folder.
   *
   * @param below its path below the first folder, ending in a slash unless empty
   */
  inside(folder: string, below: string): Ignored {
    const path = join(folder, FILE);
    if (!existsSync(path)) return this;
    try {
      const rules = ignore().add(readFileSync(path, 'utf8'));
      return new Ignored([...this.#rules, { below, rules }]);
    } catch (error) {
      throw new CommandError(`${path}: ${(error as Error).message}`);
    }
  }

  /**
   * Tells whether a file or folder is ignored. Rules of inner folders win.
   *
   * @param path below the first folder, with slashes; that of a folder ends in one
   */
  has(path: string): boolean {
    for (const { below, rules } of this.#rules.toReversed()) {
      if (!path.startsWith(below)) continue;
      const { ignored, unignored } = rules.test(path.slice(below.length));
      if (ignored) return true;
      if (unignored) return false;
    }
    return false;
  }
}
