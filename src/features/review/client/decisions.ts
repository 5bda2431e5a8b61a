/** How long no decision is taken after what can be decided has changed, in ms. */
const LOOK_MS = 1_000;

const FORMS = '#comments form:has([name="expected"])';

/** What can be decided on the page, and where: forms with what each shows. */
function shown(): string {
  return [...document.querySelectorAll<HTMLFormElement>(FORMS)]
    .map((form) => [...new FormData(form).values()].join(' '))
    .join('\n');
}

/**
 * Keeps the reader from accepting or rejecting something that came under the pointer just as they
 * clicked.
 *
 * @param onEarly called instead of the decision
 * @returns a function that runs an update of the comments
 */
export function guardDecisions(onEarly: () => void): (update: () => void) => void {
  let until = 0;
  document.addEventListener(
    'submit',
    (event) => {
      if (performance.now() > until || !(event.target as Element).matches(FORMS)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      onEarly();
    },
    { capture: true },
  );
  return (update) => {
    const before = shown();
    update();
    if (shown() !== before) until = performance.now() + LOOK_MS;
  };
}
