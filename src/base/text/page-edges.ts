import { Tokenizer } from 'htmlparser2';
import { HIDDEN } from './page-quotes.ts';
import type { Range } from './port.ts';

/**
 * Returns where what is added to a page's source is shown first and last: in its body, and before what
 * would hide it, such as a comment without an end. Takes linear time.
 */
export function edgesOfPage(html: string): Range {
  let [start, body] = [0, -1];
  /** Where what isn't shown, or a tag, began that hasn't ended. */
  let [hidden, tag, name] = [-1, -1, ''];
  const nameAt = (from: number, to: number) => html.slice(from, to).toLowerCase();
  const ignore = () => {};
  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      onopentagname(from, to) {
        tag = from - 1;
        const opened = nameAt(from, to);
        if (hidden < 0 && HIDDEN.has(opened)) [hidden, name] = [tag, opened];
      },
      onopentagend(at) {
        if (hidden < 0 && nameAt(tag + 1, tag + 5) === 'body') start = at + 1;
        tag = -1;
      },
      onselfclosingtag(at) {
        this.onopentagend(at);
      },
      onclosetag(from, to) {
        const closed = nameAt(from, to);
        if (closed === name) [hidden, name] = [-1, ''];
        if (hidden < 0 && closed === 'head') start = html.indexOf('>', to) + 1;
        if (hidden < 0 && (closed === 'body' || (closed === 'html' && body < 0))) body = from - 2;
      },
      oncomment(from, to) {
        if (hidden < 0 && to >= html.length) hidden = html.lastIndexOf('<!--', from);
      },
      ondeclaration(from, to) {
        if (/^!?doctype/i.test(html.slice(from, from + 8))) start = to + 1;
      },
      onattribdata: ignore,
      onattribentity: ignore,
      onattribend: ignore,
      onattribname: ignore,
      oncdata: ignore,
      onend: ignore,
      onprocessinginstruction: ignore,
      ontext: ignore,
      ontextentity: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  // A tag that only begins, such as `</p`.
  const last = html.lastIndexOf('<');
  if (last > html.lastIndexOf('>') && /[a-z/!?]/i.test(html.charAt(last + 1))) tag = last;
  const open = hidden >= 0 ? hidden : tag;
  const end = body >= 0 ? body : open >= 0 ? open : html.length;
  const above = html.slice(0, end);
  return {
    start: Math.min(start, end),
    end: above.length - (/\n[ \t]*$/.exec(above)?.[0].length ?? 1) + 1,
  };
}
