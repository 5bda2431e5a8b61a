const LEAST_PX = 50;

/**
 * Calls back with the direction of a horizontal swipe. Elements that scroll sideways keep their
 * swipes.
 */
export function onSwipe(element: HTMLElement, act: (by: 1 | -1) => void): void {
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
