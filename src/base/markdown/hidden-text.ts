import { findInvisible, type InvisiblePlaces } from '../text/invisible.ts';
import { readFrontMatter } from './front-matter.ts';
import type { MarkdownRenderer } from './renderer.ts';
import type { SourceLine } from './unseen-lines.ts';

/** What a brief's text has that its readers don't see, but everyone who gets the text does. */
export interface HiddenText {
  /** The lines of its front matter. */
  frontMatter: string | undefined;
  /**
   * Further lines with words that aren't shown; `undefined` if finding them costs too much, although
   * the text is rendered.
   */
  lines: readonly SourceLine[] | undefined;
  characters: InvisiblePlaces[];
}

/**
 * Finds what a brief's readers don't see.
 *
 * @param key the user, for the renderer
 * @throws RATE_LIMITED, BackEndUnavailable if the renderer is too busy
 */
export async function findHiddenText(
  markdown: Pick<MarkdownRenderer, 'unseenLines' | 'renderOutcome'>,
  key: string,
  source: string,
): Promise<HiddenText> {
  let lines = await markdown.unseenLines(key, source);
  // A text that can't be rendered is shown as its source.
  if (!lines && (await markdown.renderOutcome(key, source)).kind === 'too-costly') lines = [];
  return {
    frontMatter: readFrontMatter(source).yaml,
    lines,
    characters: findInvisible(source),
  };
}
