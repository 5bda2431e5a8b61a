// Says what is wrong with a field in a sentence below it, as the service does, in place of the
// browser's bubble, and which files are chosen. Without this script, browsers do it by themselves.

export {};

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

document.addEventListener(
  'invalid',
  (event) => {
    const field = event.target as Field;
    event.preventDefault();
    sayFault(field, sentenceFor(field));
    const fields = [...(field.form?.elements ?? [])] as Field[];
    // Browsers focus it only together with their bubble.
    if (fields.find(({ validity }) => !validity.valid) === field) field.focus();
  },
  true,
);

document.addEventListener('input', ({ target }) => {
  const { name, ariaInvalid } = target as Field;
  if (!ariaInvalid) return;
  // All buttons of a choice have the same name.
  document.querySelectorAll<Field>(`[aria-invalid][name="${CSS.escape(name)}"]`).forEach(withdraw);
});

document.addEventListener('change', ({ target }) => {
  const names = (target as Element).closest('.file-choice')?.nextElementSibling;
  const { files } = target as HTMLInputElement;
  if (names) names.textContent = Array.from(files ?? [], ({ name }) => name).join(', ');
});

function sayFault(field: Field, sentence: string): void {
  withdraw(field);
  const fault = document.createElement('p');
  fault.className = 'fault';
  fault.id = `${field.id || field.name}-fault`;
  fault.textContent = sentence;
  const row = field.closest('.form-row');
  const around = field.closest('.field, .choices');
  // Several buttons of a choice say the same.
  document.getElementById(fault.id)?.remove();
  if (around && !row) around.append(fault);
  else (row ?? field).after(fault);
  field.setAttribute('aria-describedby', [...describing(field), fault.id].join(' '));
  field.ariaInvalid = 'true';
}

const describing = (field: Field) =>
  (field.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .filter(document.getElementById, document);

/** Takes away what is said about a field, also by the service. */
function withdraw(field: Field): void {
  for (const id of describing(field)) document.querySelector(`#${CSS.escape(id)}.fault`)?.remove();
  field.setAttribute('aria-describedby', describing(field).join(' '));
  field.removeAttribute('aria-invalid');
}

function sentenceFor(field: Field): string {
  const { validity, type, title, validationMessage } = field;
  if (validity.valueMissing) return MISSING[type] ?? 'Fill in this field.';
  if (validity.typeMismatch) return 'Enter an email address, such as ada@example.com.';
  if (validity.tooShort)
    return `Enter at least ${(field as HTMLInputElement).minLength} characters.`;
  return validity.patternMismatch ? title : validationMessage;
}

const MISSING: Record<string, string> = {
  file: 'Choose a file.',
  radio: 'Choose one of these.',
};
