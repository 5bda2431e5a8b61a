import { offerToEnlarge } from './enlarge.ts';
import { showFootnote } from './footnote.ts';

// Without this module, references lead to the notes at the end.
document.addEventListener('click', (event) => {
  const { target } = event;
  const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!isPlain || !(target instanceof Element)) return;
  const reference = target.closest<HTMLAnchorElement>('.reading .prose .footnote-ref a');
  if (reference && showFootnote(reference)) event.preventDefault();
});

offerToEnlarge();
addEventListener('resize', () => offerToEnlarge(), { passive: true });
void document.fonts.ready.then(() => offerToEnlarge());
document.addEventListener('contentadded', () => offerToEnlarge());
