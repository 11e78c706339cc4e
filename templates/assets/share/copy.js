/* Copies a text, and says so on the button. */
export async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without permission or https: the text at least can be copied by hand.
    return prompt(button.dataset.copy, text);
  }
  const label = button.querySelector('span');
  const before = label.textContent;
  label.textContent = button.dataset.copied;
  button.setAttribute('aria-live', 'polite');
  setTimeout(() => {
    label.textContent = before;
    button.removeAttribute('aria-live');
  }, 2500);
}
