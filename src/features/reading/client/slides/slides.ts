const LEAST_PX = 50;

/**
 * Calls back with the direction of a horizontal swipe. Elements that scroll sideways keep their
 * swipes.
 */
function onSwipe(element: HTMLElement, act: (by: 1 | -1) => void): void {
  let from: Touch | undefined;
  element.addEventListener(
    'touchstart',
    ({ touches, target }) => {
      const isOwn = (target as Element).closest('pre, .table-scroll, math') !== null;
      from = touches.length === 1 && !isOwn ? touches[0] : undefined;
    },
    { passive: true },
  );
  element.addEventListener(
    'touchend',
    ({ changedTouches: [to] }) => {
      if (!from || !to) return;
      const [x, y] = [to.clientX - from.clientX, to.clientY - from.clientY];
      if (Math.abs(x) >= LEAST_PX && Math.abs(x) > 2 * Math.abs(y)) act(x < 0 ? 1 : -1);
      from = undefined;
    },
    { passive: true },
  );
}

const frame = document.querySelector<HTMLElement>('.slides');
if (frame) present(frame);

/** Adds keys, swipes, the full screen and the slide's number in the address. */
function present(frame: HTMLElement): void {
  const slides = [...frame.querySelectorAll<HTMLElement>(':scope > .slide')];
  const current = (): number => {
    const middle = frame.scrollTop + frame.clientHeight / 2;
    const after = slides.findIndex((slide) => slide.offsetTop - frame.offsetTop > middle);
    return after === -1 ? slides.length - 1 : Math.max(0, after - 1);
  };
  const go = (index: number): void => {
    slides[Math.min(slides.length - 1, Math.max(0, index))]?.scrollIntoView({ block: 'start' });
  };
  const step = (by: 1 | -1): void => go(current() + by);

  /** Shows the rest of a slide that is taller than the window, before the next one. */
  const read = (by: 1 | -1): void => {
    const slide = slides[current()]?.getBoundingClientRect();
    const view = frame.getBoundingClientRect();
    const isLeft = slide && (by === 1 ? slide.bottom > view.bottom + 2 : slide.top < view.top - 2);
    if (isLeft) frame.scrollBy({ top: by * 0.8 * view.height });
    else step(by);
  };

  const switchFullScreen = (): void => {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void frame.requestFullscreen().then(() => frame.focus());
  };

  const keys: Record<string, () => void> = {
    ArrowRight: () => step(1),
    ArrowLeft: () => step(-1),
    PageDown: () => step(1),
    PageUp: () => step(-1),
    ArrowDown: () => read(1),
    ArrowUp: () => read(-1),
    ' ': () => read(1),
    'Shift+ ': () => read(-1),
    Home: () => go(0),
    End: () => go(slides.length - 1),
    f: switchFullScreen,
    Escape: () => document.querySelector<HTMLElement>('[data-leave]')?.click(),
  };
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey, defaultPrevented, target } = event;
    if (ctrlKey || metaKey || altKey || defaultPrevented) return;
    // Focused controls, and code that scrolls, handle their own keys.
    const control = (target as Element).closest('a, button, summary, input, [tabindex="0"]');
    if (control && control !== frame && key !== 'Escape' && key !== 'f') return;
    // In full screen, Escape leaves only that.
    if (key === 'Escape' && document.fullscreenElement) return;
    const act = keys[key === ' ' && shiftKey ? 'Shift+ ' : key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  onSwipe(frame, step);

  const button = document.querySelector<HTMLElement>('[data-action="full-screen"]');
  if (button) button.hidden = !document.fullscreenEnabled;
  button?.addEventListener('click', switchFullScreen);

  const numberOf = (hash: string): number => (/^#\d+$/.test(hash) ? Number(hash.slice(1)) : 0);
  let shown = 0;
  const note = (): void => {
    const number = current() + 1;
    if (number === shown) return;
    shown = number;
    history.replaceState(history.state, '', `#${number}`);
  };
  frame.addEventListener('scroll', () => requestAnimationFrame(note), { passive: true });
  addEventListener('hashchange', () => {
    const number = numberOf(location.hash);
    if (number > 0 && number !== shown) go(number - 1);
  });
  // Slides change their height with the window.
  addEventListener('resize', () => go(shown - 1));
  go(Math.max(1, numberOf(location.hash)) - 1);
  note();
  frame.tabIndex = 0;
  frame.focus({ preventScroll: true });
}
