/** How long a form with `data-once` isn't sent again, in ms. */
const SENT_MS = 3_000;

// A double click would send a proof twice. The answer to the first has the session's new cookie,
// which the browser would miss.
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-once]')) {
  let isSent = false;
  form.addEventListener('submit', (event) => {
    if (isSent) return event.preventDefault();
    isSent = true;
    setTimeout(() => {
      isSent = false;
    }, SENT_MS);
  });
}

export {};
