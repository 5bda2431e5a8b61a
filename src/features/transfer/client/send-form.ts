/** The response to a form, as a page. */
export interface Returned {
  /** The address after redirects. */
  url: string;
  status: number;
  /** How long to wait after a 429 response. */
  retryAfterSeconds: number;
  page: Document;
}

const WAIT_SECONDS = 10;

/** Tells whether the response asks the user to sign in. */
export function isSignIn({ url }: Returned): boolean {
  return new URL(url).pathname === '/sign-in';
}

/**
 * Returns why the service refused a form, as a phrase that follows "it". Call only if the response
 * doesn't show the form again.
 */
export function refusalOf({ status, page }: Returned): string {
  // A proxy may have a lower limit than the service.
  if (status === 413) return 'is too large';
  const reason = page.querySelector('#main h1')?.textContent?.trim();
  return reason ? `was refused: ${reason}` : `was refused: the server answered ${status}`;
}

/**
 * Sends a form with files and reports progress, which `fetch` can't.
 *
 * @param onProgress receives the bytes sent and the total
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
