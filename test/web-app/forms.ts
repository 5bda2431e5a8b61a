import { strict as assert } from 'node:assert';
import type { Answer } from '../harness.ts';
import type { Visitor } from '../sign-in/visitor.ts';

/** The text of a page's toast; empty if there is none. */
export function toastOf({ text }: Answer): string {
  const toast = /<div class="toast[^"]*"><p>(.*?)<\/p>/s.exec(text)?.[1] ?? '';
  return toast.replace(/<[^>]*>/g, '');
}

/** Asserts that the response to a script names the wrong field. */
export function assertFieldRefused(
  { status, json, text }: Answer,
  expected: { status: number; code: string; field: string; sentence?: RegExp },
): void {
  assert.equal(status, expected.status, text);
  assert.equal(json.error.code, expected.code);
  assert.equal(json.field, expected.field);
  assert.match(json.sentence, expected.sentence ?? /^[A-Z].*\.$/s);
}

/** Sends a form and returns the following page, whose toast says what happened. */
export async function submit(
  visitor: Visitor,
  path: string,
  fields: Record<string, string> = {},
): Promise<Answer> {
  const answer = await visitor.post(path, fields);
  assert.equal(answer.status, 303, answer.text);
  return visitor.get(answer.headers.get('location') ?? '');
}

/** Sends the undo form of a page. */
export async function undo(visitor: Visitor, page: Answer): Promise<Answer> {
  const form = formsOf(page).find(({ buttons }) => buttons.includes('Undo'));
  assert.ok(form, `an Undo on the page: ${toastOf(page)}`);
  return submit(visitor, form.action, form.fields);
}

/** A form of a page: its address, hidden fields and buttons. */
export interface ListedForm {
  action: string;
  fields: Record<string, string>;
  buttons: string[];
}

/** The POST forms of a page. */
export function formsOf({ text }: Answer): ListedForm[] {
  const forms = text.matchAll(/<form[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs);
  // Forms that only look something up change nothing.
  const posts = Array.from(forms).filter(([form]) => /^<form[^>]*method="post"/.test(form));
  return posts.map(([, action = '', inner = '']) => {
    const hidden = inner.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
    const buttons = inner.matchAll(/<button[^>]*>(.*?)<\/button>/gs);
    return {
      action: unescaped(action),
      fields: Object.fromEntries(
        Array.from(hidden, ([, name = '', value = '']) => [name, unescaped(value)]),
      ),
      buttons: Array.from(buttons, ([, label = '']) => label.replace(/<[^>]*>/g, '')),
    };
  });
}

/** The only form with this button and these fields. */
export function formWith(
  page: Answer,
  button: string,
  fields: Record<string, string> = {},
): ListedForm {
  const found = formsOf(page).filter(
    (form) =>
      form.buttons.includes(button) &&
      Object.entries(fields).every(([name, value]) => form.fields[name] === value),
  );
  assert.equal(found.length, 1, `one form with ${button}: ${JSON.stringify(formsOf(page))}`);
  return found[0] as ListedForm;
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
