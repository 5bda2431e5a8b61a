const ACCENTS: Record<string, string> = {
  '¯': 'bar',
  '‾': 'overline',
  '→': 'vec',
  '^': 'hat',
  '~': 'tilde',
  '˙': 'dot',
};
const NAMES = new Set(
  'sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln exp lim max min sup inf det gcd dim ker'.split(
    ' ',
  ),
);

/**
 * Writes presentation MathML as TeX, for formulas without their own TeX.
 *
 * @returns `undefined` if it has elements that this doesn't know, such as a matrix
 */
export function texOfMathml(math: Element): string | undefined {
  try {
    return rowOf(math).trim();
  } catch (error) {
    if (error instanceof Unknown) return undefined;
    throw error;
  }
}

class Unknown extends Error {}

/** An element's children in sequence. Letters after a command need a space between. */
function rowOf(element: Element): string {
  return [...element.children].map(write).reduce((tex, next) => {
    const isGlued = /\\[a-z]+$/i.test(tex) && /^[a-z]/i.test(next);
    return tex + (isGlued ? ' ' : '') + next;
  }, '');
}

function write(element: Element): string {
  const text = (element.textContent ?? '').trim();
  const parts = [...element.children];
  const group = (index: number) => `{${parts[index] ? write(parts[index]) : ''}}`;
  const base = () => (parts[0] ? write(parts[0]) : '');
  switch (element.localName) {
    case 'mi':
      if (NAMES.has(text)) return `\\${text}`;
      return text.length > 1 ? `\\mathrm{${escaped(text)}}` : escaped(text);
    case 'mo':
    case 'mn':
      return NAMES.has(text) ? `\\${text}` : escaped(text);
    case 'mtext':
      return text === '' ? ' ' : `\\text{${escaped(element.textContent ?? '')}}`;
    case 'mspace':
      return ' ';
    case 'mrow':
    case 'mstyle':
    case 'mpadded':
    case 'semantics':
      return rowOf(element);
    case 'annotation':
    case 'annotation-xml':
    case 'mphantom':
      return '';
    case 'msup':
      return `${base()}^${group(1)}`;
    case 'msub':
      return `${base()}_${group(1)}`;
    case 'msubsup':
    case 'munderover':
      return `${base()}_${group(1)}^${group(2)}`;
    case 'munder':
      return `${base()}_${group(1)}`;
    case 'mover': {
      const accent = ACCENTS[(parts[1]?.textContent ?? '').trim()];
      return accent ? `\\${accent}${group(0)}` : `${base()}^${group(1)}`;
    }
    case 'mfrac':
      return `\\frac${group(0)}${group(1)}`;
    case 'msqrt':
      return `\\sqrt{${rowOf(element)}}`;
    case 'mroot':
      return `\\sqrt[${parts[1] ? write(parts[1]) : ''}]${group(0)}`;
    default:
      throw new Unknown();
  }
}

/** TeX reads most characters as they are. Invisible operators aren't written. */
function escaped(text: string): string {
  return text
    .replace(/[\u2061-\u2064]/g, '')
    .replace(/[#$%&_{}]/g, '\\$&')
    .replaceAll('−', '-');
}
