/** Highlights the current section in the table of contents in the margin. */
export function followContents(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('[data-contents] a')];
  const sections = links.flatMap((link) => {
    const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    return heading ? [{ link, heading }] : [];
  });
  if (sections.length === 0) return;

  let current: HTMLAnchorElement | undefined;
  const mark = () => {
    const line = innerHeight * 0.25;
    const passed = sections.filter(({ heading }) => heading.getBoundingClientRect().top <= line);
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const next = (atEnd ? sections.at(-1) : passed.at(-1))?.link;
    if (next === current) return;
    current?.removeAttribute('aria-current');
    next?.setAttribute('aria-current', 'location');
    // Scrolls only the list, because scrollIntoView would also scroll the page.
    const list = next?.closest('[data-contents]');
    if (next && list) list.scrollTop = next.offsetTop - list.clientHeight / 2;
    current = next;
  };

  let waiting = false;
  const soon = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      mark();
    });
  };
  addEventListener('scroll', soon, { passive: true });
  addEventListener('resize', soon, { passive: true });
  mark();
}
