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
  // On the button, Orca would not announce it.
  label.ariaLive = 'polite';
  label.textContent = button.dataset.copied;
  setTimeout(() => {
    label.textContent = before;
    label.ariaLive = null;
  }, 2500);
}
