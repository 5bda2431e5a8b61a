/** What an error answer says, as a sentence; the name of the field goes. */
export function messageOf(body: string): string {
  try {
    const message: unknown = JSON.parse(body).error.message;
    if (typeof message !== 'string') throw new Error();
    const sentence = message.replace(/^[a-zA-Z]+: /, '');
    return sentence.charAt(0).toUpperCase() + sentence.slice(1);
  } catch {
    return 'The service cannot be reached as it should. Try again soon.';
  }
}

/** The field that an error answer begins with, as in `name: must …`. */
export function fieldOf(body: string): string | undefined {
  return /"message":"([a-z]+): /.exec(body)?.[1];
}

/** The name that an error answer suggests in place of one that is taken. */
export function freeNameOf(body: string): string | undefined {
  return /"freeName":"([^"\\]+)"/.exec(body)?.[1];
}

/** Line breaks as a text area and the editor have them. */
export function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
