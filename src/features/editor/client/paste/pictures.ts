/** A picture that is written into pasted HTML, to upload. */
export interface PastedPicture {
  file: File;
  description: string;
}

/** Stand around the number of a picture in pasted Markdown, where its link will be. */
const [OPEN, CLOSE] = ['\ue002', '\ue003'];
const PLACE = /\ue002(\d+)\ue003/g;

const UPLOADED = /^data:image\/(png|jpe?g|gif|webp);base64,([A-Za-z0-9+/=\s]+)$/i;
const MAX_BYTES = 10 * 1024 * 1024;

const EMOJI = /^(?:\p{Extended_Pictographic}|\p{Emoji_Component}|\p{Regional_Indicator})+$/u;

/**
 * Reduces pictures to what can be pasted: those with a web address stay, those that are written into
 * the HTML become places for uploads, emoji become text, and of all others the description stays.
 * Tracking pixels go.
 *
 * @returns the pictures to upload, and how many others can't be pasted
 */
export function keepPictures(body: Element): { pictures: PastedPicture[]; lost: number } {
  const pictures: PastedPicture[] = [];
  let lost = 0;
  for (const image of body.querySelectorAll('img')) {
    const address = image.getAttribute('src') ?? '';
    const description = (image.getAttribute('alt') ?? '').replace(/\s+/g, ' ').trim();
    if (isTiny(image)) image.remove();
    else if (EMOJI.test(description) && !/^[\d#*]+$/.test(description)) {
      image.replaceWith(description);
    } else if (!/^https?:/i.test(address) || !URL.canParse(address)) {
      const file = fileOf(address);
      if (file) {
        image.replaceWith(OPEN + String(pictures.length) + CLOSE);
        pictures.push({ file, description });
      } else {
        image.replaceWith(description);
        lost++;
      }
    }
  }
  return { pictures, lost };
}

function isTiny(image: Element): boolean {
  return ['width', 'height'].some((side) => /^[01](?:px)?$/.test(image.getAttribute(side) ?? ''));
}

function fileOf(address: string): File | undefined {
  const [, type = '', data = ''] = UPLOADED.exec(address.trim()) ?? [];
  if (data === '' || data.length > (MAX_BYTES * 4) / 3 + 4) return undefined;
  try {
    const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
    const name = type.toLowerCase().replace('jpeg', 'jpg');
    return new File([bytes], `picture.${name}`, { type: `image/${name.replace('jpg', 'jpeg')}` });
  } catch {
    return undefined;
  }
}

/** Takes the places of pictures out of pasted Markdown. @returns where in the text each is */
export function takePlaces(markdown: string): { text: string; places: Map<number, number> } {
  const places = new Map<number, number>();
  let taken = 0;
  const text = markdown.replace(PLACE, (place, number: string, at: number) => {
    places.set(Number(number), at - taken);
    taken += place.length;
    return '';
  });
  return { text, places };
}

/** Puts descriptions in the places of pictures, where none can be uploaded. */
export function withDescriptions(markdown: string, pictures: readonly PastedPicture[]): string {
  return markdown.replace(
    PLACE,
    (_, number: string) => pictures[Number(number)]?.description ?? '',
  );
}
