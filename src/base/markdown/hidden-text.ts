import { findInvisible, type InvisiblePlaces } from '../text/invisible.ts';
import { readFrontMatter } from './front-matter.ts';

/** What a brief's text has that its readers don't see, but everyone who gets the text does. */
export interface HiddenText {
  /** The lines of its front matter. */
  frontMatter: string | undefined;
  /** Its HTML comments, each with its marks. */
  comments: string[];
  characters: InvisiblePlaces[];
}

/** Finds what a brief's readers don't see. Also lists comments in code, which they do see. */
export function findHiddenText(source: string): HiddenText {
  const { yaml } = readFrontMatter(source);
  const comments: string[] = [];
  for (let start = source.indexOf('<!--'); start !== -1; ) {
    const end = source.indexOf('-->', start);
    comments.push(end === -1 ? source.slice(start) : source.slice(start, end + 3));
    start = end === -1 ? -1 : source.indexOf('<!--', end);
  }
  return { frontMatter: yaml, comments, characters: findInvisible(source) };
}
