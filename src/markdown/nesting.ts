import type MarkdownIt from 'markdown-it';
import { MAX_BLOCK_NESTING, RenderLimitError } from './limits.ts';

/**
 * Refuses blocks nested deeper than markdown-it's `maxNesting` would keep.
 *
 * markdown-it stops silently there and loses the text. A list raises the level by two at once, so
 * the guard, which runs before every other block rule, stands two levels earlier.
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
