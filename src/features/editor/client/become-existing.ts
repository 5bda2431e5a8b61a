import type { Parts } from './settings.ts';

/** Turns the form of a new document into the form of an existing one, after its first save. */
export function becomeExisting(
  { form, owner, name }: Parts,
  answer: { id: string; owner: string; name: string },
): void {
  // Every form of a document names it, so that it can't act on another at the same address.
  const about = document.createElement('input');
  about.type = 'hidden';
  about.name = 'document';
  about.value = answer.id;
  form.append(about);
  form.querySelector('.template-menu')?.remove();
  const text = document.createElement('span');
  text.className = 'owner';
  text.textContent = answer.owner;
  (owner ?? form.querySelector('.owner'))?.replaceWith(text);
  name.required = true;
  const save = form.querySelector<HTMLButtonElement>('button[type="submit"]');
  if (save) save.textContent = 'Save';
  for (const part of form.querySelectorAll<HTMLElement>(
    '#editing-mode, [data-command="comment"]',
  )) {
    part.hidden = false;
  }
  if (form.querySelector('#done')) return;
  const done = document.createElement('a');
  done.className = 'quiet small';
  done.id = 'done';
  done.textContent = 'Done';
  save?.after(done);
}

/** Updates the addresses in the page after the document has moved. */
export function showAddress(
  form: HTMLFormElement,
  { path, readPath, title: called }: { path: string; readPath: string; title: string },
): void {
  history.replaceState(history.state, '', path);
  form.action = path;
  const title = `Edit ${called}`;
  document.title = document.title.replace(/^.*?(?= — )/, () => title);
  for (const heading of [document.querySelector('.bar .here'), form.querySelector('h1')]) {
    if (heading && heading.textContent !== title) heading.textContent = title;
  }
  form.dispatchEvent(new Event('detailschanged'));
  const done = form.querySelector<HTMLAnchorElement>('#done');
  if (done) done.href = readPath;
}
