/**
 * Applies the chosen theme before the first paint, so that the page doesn't flash. This is a
 * classic script in the head, so it can't use imports or exports.
 */
{
  const root = document.documentElement;
  root.classList.add('scripted');
  try {
    const theme = localStorage.getItem('theme');
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  } catch {
    // Without storage, the theme follows the system.
  }
}
