import type { Kind } from '../schema/kind.ts';
import { repeatsGone } from '../search/repeated-words.ts';
import { findAlike } from './alike.ts';
import { portThrough, shownAnchors } from './anchor.ts';
import { rewritten as rewrittenBetween } from './authorship.ts';
import { changes as changesBetween, costOfComparing } from './changes.ts';
import { closestPassages } from './closest.ts';
import { compareTexts } from './comparison.ts';
import { addLater as addEditsLater, applyEdits } from './edits.ts';
import { type Figures, figuresOfLines, figuresOfWords } from './figures.ts';
import { findPlaces } from './find.ts';
import { merge3 } from './merge.ts';
import { findPageElement, findPageQuote, outlineOfPage, pageRanges } from './page-quotes.ts';
import { fitInPage } from './page-replacement.ts';
import { outlineOf } from './sections.ts';
import { marksOf } from './surroundings.ts';
import { unifiedDiff } from './unified-diff.ts';

/** Entry point of the worker threads for large texts. `text-threads.ts` calls these by name. */

export const outline = ([text, kind]: [text: string, kind: Kind]) =>
  kind === 'page' ? outlineOfPage(text) : outlineOf(text);
export const alike = (args: Parameters<typeof findAlike>) => findAlike(...args);
export const find = (args: Parameters<typeof findPlaces>) => findPlaces(...args);
export const closest = (args: Parameters<typeof closestPassages>) => closestPassages(...args);
export const merge = (args: Parameters<typeof merge3>) => merge3(...args);
export const diff = (args: Parameters<typeof unifiedDiff>) => unifiedDiff(...args);
export const compare = (args: Parameters<typeof compareTexts>) => compareTexts(...args);
export const edit = (args: Parameters<typeof applyEdits>) => applyEdits(...args);
export const addLater = (args: Parameters<typeof addEditsLater>) => addEditsLater(...args);
export const changes = (args: Parameters<typeof changesBetween>) => changesBetween(...args);
export const rewritten = (args: Parameters<typeof rewrittenBetween>) => rewrittenBetween(...args);
export const port = (args: Parameters<typeof portThrough>) => portThrough(...args);
export const show = (args: Parameters<typeof shownAnchors>) => ({
  anchors: shownAnchors(...args),
  cost: costOfComparing(args[0], args[1]),
});
export const marks = (args: Parameters<typeof marksOf>) => marksOf(...args);
/** Counts what differs from each text to the next; `undefined` texts are unknown. */
export const figures = ([texts, kind]: [texts: (string | undefined)[], kind: Kind]) =>
  texts.slice(1).map((after, index): Figures | undefined => {
    const before = texts[index];
    if (before === undefined || after === undefined) return undefined;
    return kind === 'page' ? figuresOfLines(before, after) : figuresOfWords(before, after);
  });
export const repeated = (args: Parameters<typeof repeatsGone>) => repeatsGone(...args);
export const pageQuote = (args: Parameters<typeof findPageQuote>) => findPageQuote(...args);
export const fitted = (args: Parameters<typeof fitInPage>) => fitInPage(...args);
export const pageElement = (args: Parameters<typeof findPageElement>) => findPageElement(...args);
export const pageWords = (args: Parameters<typeof pageRanges>) => pageRanges(...args);
