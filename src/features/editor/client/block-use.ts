/** The key in this browser's storage for how often each block of the menu was chosen. */
const KEY = 'blocks-used';
/** The largest boost that the menu's order accepts. */
const MOST = 99;

export function blockUses(): Record<string, number> {
  try {
    const uses: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return typeof uses === 'object' && uses !== null ? (uses as Record<string, number>) : {};
  } catch {
    return {};
  }
}

export function countBlockUse(label: string): void {
  const uses = blockUses();
  const count = Math.min(MOST, (Number(uses[label]) || 0) + 1);
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...uses, [label]: count }));
  } catch {
    // Without storage the menu keeps its order.
  }
}
