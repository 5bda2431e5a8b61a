import { strict as assert } from 'node:assert';
import type { Answer } from '../harness.ts';
import type { Visitor } from '../sign-in/visitor.ts';

/** The text of a page's toast; empty where there is none. */
export function toastOf({ text }: Answer): string {
  const toast = /<div class="toast[^"]*"><p>(.*?)<\/p>/s.exec(text)?.[1] ?? '';
  return toast.replace(/<[^>]*>/g, '');
}

/** Asserts that the answer to a page's script names the field at fault. */
export function assertFieldRefused(
  { status, json, text }: Answer,
  expected: { status: number; code: string; field: string; sentence?: RegExp },
): void {
  assert.equal(status, expected.status, text);
  assert.equal(json.error.code, expected.code);
  assert.equal(json.field, expected.field);
  assert.match(json.sentence, expected.sentence ?? /^[A-Z].*\.$/s);
}

/** Sends a form and gives the page that it leads to, whose toast says what happened. */
export async function submit(
  visitor: Visitor,
  path: string,
  fields: Record<string, string> = {},
): Promise<Answer> {
  const answer = await visitor.post(path, fields);
  assert.equal(answer.status, 303, answer.text);
  return visitor.get(answer.headers.get('location') ?? '');
}

/** Sends the form that takes back what the page says has been done. */
export async function undo(visitor: Visitor, page: Answer): Promise<Answer> {
  const form = formsOf(page).find(({ buttons }) => buttons.includes('Undo'));
  assert.ok(form, `an Undo on the page: ${toastOf(page)}`);
  return submit(visitor, form.action, form.fields);
}

/** A form as a page has it: where it goes, its hidden fields, its buttons. */
export interface ListedForm {
  action: string;
  fields: Record<string, string>;
  buttons: string[];
}

/** The forms of a page that are sent by POST. */
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

/** The one form with this button and these fields. */
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
