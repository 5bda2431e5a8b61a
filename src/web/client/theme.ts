/**
 * Runs in the head, before the first paint, so that a chosen theme never flashes. A classic script:
 * it must import and export nothing.
 */
{
  const root = document.documentElement;
  root.classList.add('scripted');
  try {
    const theme = localStorage.getItem('theme');
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  } catch {
    // Storage may be closed to us; the reader's system then decides.
  }
}
