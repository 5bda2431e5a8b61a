const ELEMENTS: Record<string, string> = {
  img: 'Image',
  picture: 'Image',
  figure: 'Figure',
  svg: 'Drawing',
  canvas: 'Drawing',
  table: 'Table',
  tr: 'Row',
  td: 'Cell',
  th: 'Cell',
  ul: 'List',
  ol: 'List',
  li: 'Item',
  p: 'Paragraph',
  h1: 'Heading',
  h2: 'Heading',
  h3: 'Heading',
  h4: 'Heading',
  video: 'Video',
  audio: 'Audio',
  form: 'Form',
  button: 'Button',
  input: 'Field',
  a: 'Link',
  section: 'Section',
  pre: 'Code',
  code: 'Code',
  blockquote: 'Quote',
};

/** Names an element for people, such as `Table #sales`. */
export function elementName(element: string): string {
  const [path = '', ...id] = element.split('#');
  const tag = path.slice(path.lastIndexOf('/') + 1).split(':', 1)[0] ?? '';
  const name = Object.hasOwn(ELEMENTS, tag) ? ELEMENTS[tag] : 'Element';
  return id.length > 0 ? `${name} #${id.join('#')}` : (name ?? 'Element');
}
