/* Copies a text, and confirms it on the button. */
export async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without permission or HTTPS, the visitor can copy the text manually.
    return prompt(button.dataset.copy, text);
  }
  const label = button.querySelector('span');
  const before = label.textContent;
  // Clicked again while it confirms.
  if (before === button.dataset.copied) return;
  label.textContent = button.dataset.copied;
  button.setAttribute('aria-live', 'polite');
  setTimeout(() => {
    label.textContent = before;
    button.removeAttribute('aria-live');
  }, 2500);
}
