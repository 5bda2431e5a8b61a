/** How long no decision is taken after what can be decided has changed, in ms. */
const LOOK_MS = 1_000;

/** Forms that decide about something on the page: a suggestion, or the whole text. */
const FORMS = '#comments form:has([name="expected"]), form:has([name="verdict"])';

/** Blocks of the text whose change is to be looked at. The classes' scripts add them. */
const CHANGED = '.reading .prose > :is(.just-changed, .shown-change)';

/** What can be decided on the page, and where: forms with what each shows. */
function shown(): string {
  return [...document.querySelectorAll<HTMLFormElement>(FORMS)]
    .map((form) => Array.from(new FormData(form)).filter(([name]) => name !== 'body'))
    .join('\n');
}

/**
 * Keeps the reader from deciding about something that came just as they clicked, and from approving a
 * text of which a part has changed out of sight since the page was opened, in the bar and in the
 * dialog. Call it after what brings the comments up to date listens for `newerpage`.
 *
 * @param refuse says why nothing was done
 * @returns a function to call after the reader's own changes
 */
export function guardDecisions(refuse: (why: string) => void): () => void {
  let before = shown();
  let until = 0;
  const unseen = new Set<Element>();
  const looks = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) forget(target);
  });

  function forget(block: Element): void {
    unseen.delete(block);
    looks.unobserve(block);
  }

  document.addEventListener('newerpage', () => {
    const now = shown();
    if (now !== before) until = performance.now() + LOOK_MS;
    before = now;
  });
  document.addEventListener('contentadded', ({ target }) => {
    if (!(target instanceof Element)) return;
    // A diagram's frame, with the source that was the block.
    const inside = [...unseen].filter((each) => each !== target && target.contains(each));
    if (inside.length === 0 && !target.matches(CHANGED)) return;
    for (const each of inside) forget(each);
    unseen.add(target);
    looks.observe(target);
  });
  document.addEventListener(
    'submit',
    (event) => {
      const form = event.target as Element;
      if (!form.matches(FORMS)) return;
      // Blocks that are gone, or take no room, can't be looked at.
      const part = [...unseen].find((each) => each.getClientRects().length > 0);
      const approves = (event.submitter as HTMLButtonElement | null)?.value === 'approved';
      const isHidden = part !== undefined && approves;
      // No revision has these words, so none that can be approved.
      const isTyped = approves && document.querySelector('#live[data-typed]') !== null;
      if (performance.now() > until && !isHidden && !isTyped) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (isHidden) {
        form.closest('dialog')?.close();
        part.scrollIntoView({ block: 'center' });
      }
      if (isTyped)
        refuse('Somebody is typing, and some words aren’t saved yet. Decide in a moment.');
      else if (isHidden) refuse('You haven’t looked at this change yet. Read it, then decide.');
      else refuse('This changed as you clicked, so nothing was done. Look again.');
    },
    { capture: true },
  );
  return () => {
    until = 0;
    before = shown();
  };
}
