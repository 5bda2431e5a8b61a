const SPACE = /[\t\n\f\r ]+/y;
/** Also comments that end early or oddly, as browsers read them. */
const COMMENT = /<!--(?:>|->|[\s\S]*?--!?>)/y;
const DOCTYPE = /<!doctype[^>]*>/iy;

/** A start tag whose attributes can be read in one way only. */
function startTag(name: string): RegExp {
  const value = '(?:"[^"]*"|\'[^\']*\'|[\\w./:#-]+)';
  const attribute = `[\\t\\n\\f\\r ]+[a-z][a-z0-9:._-]*(?:=${value})?`;
  return new RegExp(`<${name}(?:${attribute})*[\\t\\n\\f\\r ]*>`, 'iy');
}

/** What can stand before a page's first script, in its order. */
const HEAD = [DOCTYPE, startTag('html'), startTag('head')];

/**
 * Returns where a script is to stand in a page so that it runs first, in bytes: after the doctype, which
 * decides how the page is laid out, `<html>` and `<head>`. Before anything that isn't certainly one of
 * these, since that could run a script.
 *
 * @param start how the page begins, with a character for each byte
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
