const squeeze = (text: string) => text.replaceAll(/\s+/g, '');

/** A passage, or an element, of a page in a frame. */
interface Placed {
  element?: string | undefined;
  quote?: string | undefined;
  prefix?: string | undefined;
  suffix?: string | undefined;
}

/** Returns a place for the script in a page's frame, which can't split texts itself. */
export function framePlace(placed: Placed, isElement = false) {
  const { element = '', quote = '', prefix = '', suffix = '' } = placed;
  const [path = '', ...id] = element.split('#');
  return {
    steps: path === '' ? [] : path.split('/').map(stepOf),
    id: id.join('#'),
    isElement,
    quote: squeeze(quote),
    prefix: squeeze(prefix),
    suffix: squeeze(suffix),
  };
}

function stepOf(step: string) {
  const [name = '', number] = step.split(':');
  return { name, number: Number(number) };
}
