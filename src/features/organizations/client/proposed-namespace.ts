import { slugOf } from '../../../base/text/slug.ts';

// Fills fields with `data-proposed-from` with what another field says, until the user writes in them.
function propose(source: HTMLInputElement): void {
  const field = source.form?.querySelector<HTMLInputElement>(
    `[data-proposed-from="${source.name}"]:not([data-own])`,
  );
  if (!field || (field.value !== '' && field.dataset.proposed !== field.value)) return;
  field.value = slugOf(source.value);
  field.dataset.proposed = field.value;
}

document.addEventListener('input', ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return;
  if (target.dataset.proposedFrom !== undefined) target.dataset.own = '';
  propose(target);
});

// What was typed before this script came.
for (const field of document.querySelectorAll<HTMLInputElement>('[data-proposed-from]')) {
  const source = field.form?.elements.namedItem(field.dataset.proposedFrom ?? '');
  if (source instanceof HTMLInputElement && source.value !== '') propose(source);
}
