/** What an address says to compare: `#changes=5-8`. */
const IN_ADDRESS = /^#changes=(\d+)-(\d+)$/;

/**
 * Makes links show changes in the text instead of comparing the sources, and shows those that the
 * address names. Its code loads only then.
 */
export function openChanges(): void {
  document.addEventListener('click', (event) => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    const link = (event.target as Element).closest?.<HTMLAnchorElement>('a[data-changes]');
    if (!link || !isPlain || event.button !== 0) return;
    event.preventDefault();
    // A page is shown in frames, beside its history.
    if (link.dataset.changes?.includes('#')) {
      location.assign(link.dataset.changes);
      return;
    }
    show(link.dataset.changes ?? '', link.href);
  });
  const [, from, to] = IN_ADDRESS.exec(location.hash) ?? [];
  if (from === undefined) return;
  const path = location.pathname.replace(/@\d+$/, '');
  const source = `${path.replace('/read/', '/history/')}?from=${from}&to=${to}`;
  show(`${path}@${from}`, source);
}

function show(path: string, source: string): void {
  void import('./changes-view.ts')
    .then(({ showChanges }) => showChanges(path, source))
    .catch(() => location.assign(source));
}
