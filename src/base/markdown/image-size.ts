import type MarkdownIt from 'markdown-it';
import type { Token } from 'markdown-it';

/** Matches the size at the end of an image's alternative text: `|300` or `|300x200`. */
const SIZE = /\s*\|([1-9]\d{0,3})(?:x([1-9]\d{0,3}))?$/;

/**
 * Reads the sizes of images, as Obsidian writes them: `![a gear|300](…)` is 300 pixels wide. Other
 * readers of the Markdown show the size as part of the alternative text. An escaped pipe is text,
 * except in a table, where it has to be escaped.
 */
export function imageSizes(md: MarkdownIt): void {
  md.core.ruler.after('inline', 'image_sizes', ({ tokens }) => {
    for (const { children } of tokens) {
      for (const token of children ?? []) {
        if (token.type !== 'image') continue;
        takeSize(token);
        keepEscaped(token);
      }
    }
  });
}

function takeSize(image: Token): void {
  const last = image.children?.at(-1);
  const [size, width, height] = (last?.type === 'text' && SIZE.exec(last.content)) || [];
  if (!last || size === undefined || width === undefined) return;
  last.content = last.content.slice(0, -size.length);
  image.content = image.content.replace(SIZE, '');
  image.attrSet('width', width);
  if (height !== undefined) image.attrSet('height', height);
}

/** Keeps escaped characters, which markdown-it leaves out of an alternative text. */
function keepEscaped(image: Token): void {
  for (const token of image.children ?? []) if (token.type === 'text_special') token.type = 'text';
}
