import type MarkdownIt from 'markdown-it';
import { MAX_BLOCK_NESTING, RenderLimitError } from './limits.ts';

/**
 * Throws if blocks nest deeper than markdown-it's `maxNesting`, where it would silently lose text.
 *
 * A list raises the level by two at once, so this stops two levels earlier. Runs before all other
 * block rules.
 *
 * @throws RenderLimitError while parsing
 */
export function nestingGuard(md: MarkdownIt): void {
  md.block.ruler.before(
    'table',
    'nesting_guard',
    (state) => {
      if (state.level >= MAX_BLOCK_NESTING - 2) {
        throw new RenderLimitError(`Blocks nest deeper than ${MAX_BLOCK_NESTING - 2} levels.`);
      }
      return false;
    },
    { alt: [] },
  );
}
