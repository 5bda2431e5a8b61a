import { deflateSync } from 'node:zlib';

const b64 = (text: string) => Buffer.from(text, 'base64');

/** The smallest valid files of each type. */
export const JPEG = b64(
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJ' +
    'DRENDg8QEBEQCgwSExIQEw8QEBD/yQALCAABAAEBAREA/8wABgAQEAX/2gAIAQEAAD8A0s8g/9k=',
);
export const GIF = b64('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7');
export const WEBP = b64('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==');
export const PNG = png();
export const PDF = pdf('Hello');
export const SVG = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
);

/** A form with a valid file for the field: an image for a picture, otherwise a text. */
export function formFor(field: string): FormData {
  const form = new FormData();
  if (field === 'picture') form.append(field, new Blob([new Uint8Array(PNG)]), 'ada.png');
  else form.append(field, new Blob(['A note.']), 'note.txt');
  return form;
}

/** A PNG of one red pixel. */
function png(): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from([0, 255, 0, 0]))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function crc(bytes: Buffer): number {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  }
  return (value ^ 0xffffffff) >>> 0;
}

/** A PDF of one page with one word. */
function pdf(word: string): Buffer {
  const drawing = `BT /F1 24 Tf 40 100 Td (${word}) Tj ET`;
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R' +
      '/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>',
    `<</Length ${drawing.length}>>\nstream\n${drawing}\nendstream`,
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return String(offset).padStart(10, '0');
  });
  const start = text.length;
  const table = offsets.map((offset) => `${offset} 00000 n \n`).join('');
  text += `xref\n0 5\n0000000000 65535 f \n${table}trailer\n<</Size 5/Root 1 0 R>>\n`;
  return Buffer.from(`${text}startxref\n${start}\n%%EOF\n`);
}

export const BOUNDARY = 'xYzZY';

/** One part of a form, with an explicit head. */
export function part(head: string[], bytes: string | Uint8Array): Buffer {
  return Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\n${head.join('\r\n')}\r\n\r\n`),
    typeof bytes === 'string' ? Buffer.from(bytes) : bytes,
    Buffer.from('\r\n'),
  ]);
}

/** A form's end. */
export const END = Buffer.from(`--${BOUNDARY}--\r\n`);

/** Returns these parts of a form as a request's body and headers. */
export function form(...parts: Uint8Array[]): {
  body: Buffer<ArrayBuffer>;
  headers: Record<string, string>;
} {
  return {
    body: Buffer.concat(parts),
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  };
}

/** The form of one upload; well-formed by default. */
export function uploadForm(file: {
  bytes: string | Uint8Array;
  name?: string;
  type?: string;
  field?: string;
}) {
  return form(filePart(file), END);
}

export function filePart(file: {
  bytes: string | Uint8Array;
  name?: string;
  type?: string;
  field?: string;
}): Buffer {
  const { bytes, name = 'x', type = 'application/octet-stream', field = 'file' } = file;
  const disposition = `Content-Disposition: form-data; name="${field}"; filename="${name}"`;
  return part([disposition, ...(type ? [`Content-Type: ${type}`] : [])], bytes);
}
