/** What came back for a form, as a page. */
export interface Returned {
  /** Where it led. */
  url: string;
  status: number;
  /** How long to wait where it was too much at once. */
  retryAfterSeconds: number;
  page: Document;
}

const WAIT_SECONDS = 10;

/** Whether somebody has to sign in before anything is taken. */
export function isSignIn({ url }: Returned): boolean {
  return new URL(url).pathname === '/sign-in';
}

/** Why something was not taken where the answer is not its form again, in words that follow "it". */
export function refusalOf({ status, page }: Returned): string {
  // A proxy may take less than the service does.
  if (status === 413) return 'is too large to be sent';
  const reason = page.querySelector('#main h1')?.textContent?.trim();
  return reason ? `was refused: ${reason}` : `was not taken: the server answered ${status}`;
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
      const retryAfterSeconds = Number(request.getResponseHeader('retry-after')) || WAIT_SECONDS;
      resolve({ url: request.responseURL, status: request.status, retryAfterSeconds, page });
    });
    request.addEventListener('error', () => reject(new Error('There is no connection.')));
    request.open('POST', action);
    request.setRequestHeader('accept', 'text/html');
    request.send(data);
  });
}
