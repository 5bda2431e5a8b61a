const SPACE = /[\t\n\f\r ]+/y;
/** Matches a comment as browsers read it, even if it ends early or oddly. */
const COMMENT = /<!--(?:>|->|[\s\S]*?--!?>)/y;
const DOCTYPE = /<!doctype[^>]*>/iy;

/** Returns a pattern for a start tag whose attributes can be read in only one way. */
function startTag(name: string): RegExp {
  const value = '(?:"[^"]*"|\'[^\']*\'|[\\w./:#-]+)';
  const attribute = `[\\t\\n\\f\\r ]+[a-z][a-z0-9:._-]*(?:=${value})?`;
  return new RegExp(`<${name}(?:${attribute})*[\\t\\n\\f\\r ]*>`, 'iy');
}

/** What may come before a page's first script, in this order. */
const HEAD = [DOCTYPE, startTag('html'), startTag('head')];

/**
 * Returns where to insert a script so that it runs first, in bytes: after the doctype (which
 * decides the layout mode), `<html>` and `<head>`. The script goes before anything else, because
 * that could run a script itself.
 *
 * @param start the start of the page, one character per byte
 */
export function scriptPlace(start: string): number {
  let at = start.startsWith('\u00ef\u00bb\u00bf') ? 3 : 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.test(start);
    if (found) at = pattern.lastIndex;
    return found;
  };
  let place = at;
  for (const part of HEAD) {
    while (skip(SPACE) || skip(COMMENT));
    if (skip(part)) place = at;
    else at = place;
  }
  return place;
}
