import {
  addCopyButtons,
  connectCopyDocument,
  connectCopyLink,
  connectCopyText,
  connectHeadingLinks,
} from './copy.ts';
import { drawDiagrams } from './markdown/diagrams.ts';
import {
  chooseTheme,
  chosenTheme,
  connectThemeSwitch,
  onThemeChange,
  type ThemeChoice,
} from './theme-switch.ts';

/** The prefix of all ids in a document, so that they can't collide with the page's ids. */
const PREFIX = 'user-content-';

/** Makes handwritten fragments such as `#my-heading` work without the prefix. */
function followFragments(): void {
  follow();
  addEventListener('hashchange', follow);
}

function follow(): void {
  const id = decodeFragment(location.hash.slice(1));
  if (id === '' || document.getElementById(id)) return;
  const target = document.getElementById(PREFIX + id);
  if (target) location.replace(`#${target.id}`);
}

function decodeFragment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// Each of these finds its own elements and does nothing on a page without them.
connectThemeSwitch();
connectThemeChoice();
connectCopyDocument();
connectCopyLink();
connectCopyText();
connectHeadingLinks();
addCopyButtons();
focusWideBlocks();
addEventListener('resize', () => focusWideBlocks(), { passive: true });
// Fonts change the width of blocks.
void document.fonts.ready.then(() => focusWideBlocks());
followContents();
followFragments();
drawDiagrams();
markBareLinks();

// Enhances content that scripts add. They dispatch this event instead of importing from here, so
// that this module stays independent of them.
document.addEventListener('contentadded', ({ target }) => {
  if (!(target instanceof Element)) return;
  connectCopyText(target);
  addCopyButtons(target);
  focusWideBlocks(target);
  drawDiagrams(target);
});

/** Makes the theme setting work, and keeps it in sync with the switch in the bar. */
function connectThemeChoice(): void {
  const choice = document.querySelector('[data-theme-choice]');
  if (!choice) return;
  const radios = choice.querySelectorAll<HTMLInputElement>('input[type="radio"]');
  const showChosen = () => {
    for (const radio of radios) radio.checked = radio.value === chosenTheme();
  };
  choice.addEventListener('change', (event) => {
    chooseTheme((event.target as HTMLInputElement).value as ThemeChoice);
  });
  onThemeChange(showChosen);
  showChosen();
}

/** Marks links whose text is their address, so that they print only once. */
function markBareLinks(): void {
  addEventListener('beforeprint', () => {
    for (const link of document.querySelectorAll<HTMLAnchorElement>('.prose a[href]')) {
      link.toggleAttribute('data-bare', isAddress(link.textContent ?? '', link));
    }
  });
}

/** Tells whether a link's text is its address, with or without the scheme and a last slash. */
function isAddress(text: string, { href }: HTMLAnchorElement): boolean {
  const bare = (address: string) =>
    address.replace(/^(https?:\/\/|mailto:)/, '').replace(/\/$/, '');
  return bare(text.trim()) === bare(href);
}

/** Highlights the current section in the table of contents in the margin. */
function followContents(): void {
  const find = () => {
    const links = [...document.querySelectorAll<HTMLAnchorElement>('[data-contents] a')];
    return links.flatMap((link) => {
      const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)));
      return heading ? [{ link, heading }] : [];
    });
  };
  let sections = find();
  if (sections.length === 0) return;
  document.addEventListener('contentadded', () => {
    sections = find();
    soon();
  });

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

/** Makes wide blocks focusable, so that the keyboard can scroll them. Not every browser does so. */
function focusWideBlocks(within: ParentNode = document): void {
  const blocks = within.querySelectorAll<HTMLElement | MathMLElement>('pre, math[display="block"]');
  for (const block of blocks) {
    if (block.scrollWidth <= block.clientWidth) continue;
    block.tabIndex = 0;
    if (block instanceof MathMLElement) continue;
    block.setAttribute('role', 'group');
    block.setAttribute('aria-label', 'Code');
  }
}
