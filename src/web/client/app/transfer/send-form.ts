/** What came back for a form, as a page. */
export interface Returned {
  /** Where it led. */
  url: string;
  ok: boolean;
  page: Document;
}

/**
 * Sends a form with files and tells how far it has come, which `fetch` cannot.
 *
 * @param onProgress bytes that are sent, of all bytes there are
 * @throws Error when there is no connection
 */
export function sendForm(
  action: string,
  data: FormData,
  onProgress: (sent: number, all: number) => void,
): Promise<Returned> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded, total));
    request.addEventListener('load', () => {
      const page = new DOMParser().parseFromString(request.responseText, 'text/html');
      resolve({ url: request.responseURL, ok: request.status < 300, page });
    });
    request.addEventListener('error', () => reject(new Error('There is no connection.')));
    request.open('POST', action);
    request.setRequestHeader('accept', 'text/html');
    request.send(data);
  });
}
