/** How long no decision is taken after what can be decided has changed, in ms. */
const LOOK_MS = 1_000;

/** Forms that decide about something on the page: a suggestion, or the whole text. */
const FORMS = '#comments form:has([name="expected"]), #review-bar form:has([name="verdict"])';

/** What can be decided on the page, and where: forms with what each shows. */
function shown(): string {
  return [...document.querySelectorAll<HTMLFormElement>(FORMS)]
    .map((form) => Array.from(new FormData(form)).filter(([name]) => name !== 'body'))
    .join('\n');
}

/**
 * Keeps the reader from deciding about something that came just as they clicked, and from approving a
 * text of which a part has changed out of sight since the page was opened. Call it after what brings
 * the comments up to date listens for `newerpage`.
 *
 * @param refuse says why nothing was done
 * @returns a function to call after the reader's own changes
 */
export function guardDecisions(refuse: (why: string) => void): () => void {
  let before = shown();
  let until = 0;
  const unseen = new Set<Element>();
  const looks = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      unseen.delete(target);
      looks.unobserve(target);
    }
  });
  document.addEventListener('newerpage', () => {
    const now = shown();
    if (now !== before) until = performance.now() + LOOK_MS;
    before = now;
  });
  document.addEventListener('contentadded', ({ target }) => {
    if (!(target instanceof Element) || !target.matches('.reading .prose > *')) return;
    unseen.add(target);
    looks.observe(target);
  });
  document.addEventListener(
    'submit',
    (event) => {
      const form = event.target as Element;
      if (!form.matches(FORMS)) return;
      const [part] = [...unseen].filter((each) => each.isConnected);
      const approves = (event.submitter as HTMLButtonElement | null)?.value === 'approved';
      const isHidden = part !== undefined && approves;
      if (performance.now() > until && !isHidden) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (isHidden) part.scrollIntoView({ block: 'center' });
      refuse(
        isHidden
          ? 'You haven’t looked at this change yet. Read it, then decide.'
          : 'This changed as you clicked, so nothing was done. Look again.',
      );
    },
    { capture: true },
  );
  return () => {
    before = shown();
  };
}
