/** Makes wide blocks focusable, so that the keyboard can scroll them. Not every browser does so. */
export function focusWideBlocks(within: ParentNode = document): void {
  const blocks = within.querySelectorAll<HTMLElement | MathMLElement>('pre, math[display="block"]');
  for (const block of blocks) {
    if (block.scrollWidth <= block.clientWidth) continue;
    block.tabIndex = 0;
    if (block instanceof MathMLElement) continue;
    block.setAttribute('role', 'group');
    block.setAttribute('aria-label', 'Code');
  }
}
