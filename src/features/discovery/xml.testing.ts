import { strict as assert } from 'node:assert';

export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  children: XmlElement[];
  /** The text of the element and its descendants. */
  text: string;
  /** The only child of this name. */
  child(name: string): XmlElement;
  /** The elements of this name at any depth. */
  all(name: string): XmlElement[];
}

const NAME = '[A-Za-z_][\\w.:-]*';
const REFERENCE = '&(?:amp|lt|gt|quot|apos|#\\d+|#x[0-9a-fA-F]+);';
const ATTRIBUTE = `\\s+(${NAME})="((?:[^<&"]|${REFERENCE})*)"`;
const TOKEN = new RegExp(
  `<(${NAME})((?:${ATTRIBUTE})*)\\s*(/?)>|</(${NAME})\\s*>|((?:[^<&]|${REFERENCE})+)`,
  'y',
);
// biome-ignore lint/suspicious/noControlCharactersInRegex: XML forbids them
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/u;
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Parses the subset of XML 1.0 that this service writes; fails the test if it is not well-formed.
 */
export function parseXml(source: string): XmlElement {
  const declaration = '<?xml version="1.0" encoding="utf-8"?>\n';
  assert.ok(source.startsWith(declaration), 'an XML declaration');
  assert.doesNotMatch(source, FORBIDDEN);
  const document = element('', {});
  const open = [document];
  TOKEN.lastIndex = declaration.length;
  while (TOKEN.lastIndex < source.length) {
    const at = TOKEN.lastIndex;
    const token = TOKEN.exec(source);
    assert.ok(token, `well-formed at: ${source.slice(at, at + 80)}`);
    const [, begins, attributes = '', , , empty, ends, text] = token;
    const parent = open.at(-1) as XmlElement;
    if (begins !== undefined) {
      const begun = element(begins, readAttributes(attributes));
      parent.children.push(begun);
      if (!empty) open.push(begun);
    } else if (ends !== undefined) {
      assert.equal(open.pop()?.name, ends, 'end tags match');
    } else {
      for (const each of open) each.text += decode(text as string);
    }
  }
  assert.equal(open.length, 1, 'every element ends');
  assert.equal(document.children.length, 1, 'one root');
  return document.children[0] as XmlElement;
}

function element(name: string, attributes: Record<string, string>): XmlElement {
  return {
    name,
    attributes,
    children: [],
    text: '',
    child(wanted) {
      const found = this.children.filter((child) => child.name === wanted);
      assert.equal(found.length, 1, `one ${wanted} in ${name}`);
      return found[0] as XmlElement;
    },
    all(wanted) {
      return this.children.flatMap((child) => [
        ...(child.name === wanted ? [child] : []),
        ...child.all(wanted),
      ]);
    },
  };
}

function readAttributes(source: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [, name = '', value = ''] of source.matchAll(new RegExp(ATTRIBUTE, 'g'))) {
    assert.ok(!(name in found), `${name} once`);
    found[name] = decode(value);
  }
  return found;
}

function decode(text: string): string {
  return text.replace(/&(\w+);/g, (_, name) => ENTITIES[name] ?? '');
}
