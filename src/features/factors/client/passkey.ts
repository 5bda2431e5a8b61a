/** A form that a passkey completes: it sends the browser's answer in the field `data-credential`. */
interface PasskeyForm extends HTMLFormElement {
  dataset: {
    /** Whether to create a passkey or to ask for one. */
    passkey: 'create' | 'get';
    /** Where the options of the browser's request come from. */
    options: string;
  };
}

for (const form of document.querySelectorAll<PasskeyForm>('form[data-passkey]')) connect(form);

function connect(form: PasskeyForm): void {
  if (typeof PublicKeyCredential?.parseRequestOptionsFromJSON !== 'function') {
    say(form, 'This browser can’t use passkeys.');
    return;
  }
  for (const button of form.querySelectorAll('button')) button.disabled = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    say(form, '');
    answer(form).catch((error: unknown) => {
      // The user cancelled, or has no passkey here. Browsers don't say which.
      const isRefused = error instanceof DOMException && error.name === 'NotAllowedError';
      const isThere = error instanceof DOMException && error.name === 'InvalidStateError';
      if (isThere) say(form, 'This device has a passkey for your account already.');
      else say(form, isRefused ? 'No passkey was used.' : `That didn’t work: ${String(error)}`);
    });
  });
}

async function answer(form: PasskeyForm): Promise<void> {
  const response = await fetch(form.dataset.options, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams(),
  });
  const body = await response.json();
  if (!response.ok) {
    say(form, body.sentence ?? body.message);
    return;
  }
  const credential =
    form.dataset.passkey === 'create'
      ? await navigator.credentials.create({
          publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(body),
        })
      : await navigator.credentials.get({
          publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(body),
        });
  const field = form.querySelector('[data-credential]') as HTMLInputElement;
  field.value = JSON.stringify((credential as PublicKeyCredential).toJSON());
  form.submit();
}

function say(form: HTMLFormElement, text: string): void {
  const place = form.querySelector<HTMLElement>('[role="alert"]');
  if (!place) return;
  place.hidden = text === '';
  place.textContent = text;
}
