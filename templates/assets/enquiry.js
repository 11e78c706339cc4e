/* Sends the enquiry without leaving the page. Without this script, the browser posts the form and the provider redirects back. */
{
  const form = document.querySelector('.enquiry form');
  const button = form.querySelector('button');
  const status = form.querySelector('[role=status]');
  const { sending, failed, offline } = form.dataset;
  form.querySelector('[data-back]')?.remove();
  // After a reload, the form is visible again.
  const [{ type } = {}] = performance.getEntriesByType('navigation');
  if (type === 'reload' && location.hash === '#sent') location.replace('#enquiry');
  // Rotating a phone or opening its keyboard can scroll the page.
  addEventListener('resize', () => {
    const { activeElement: field } = document;
    if (form.contains(field)) field.scrollIntoView({ block: 'nearest' });
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    status.textContent = sending;
    let reasons = [];
    try {
      const answer = await fetch(form.action, {
        method: 'POST',
        headers: { accept: 'application/json' },
        body: new URLSearchParams(new FormData(form)),
        // A redirect means that the provider accepted it.
        redirect: 'manual',
        signal: AbortSignal.timeout(15_000),
      });
      const reply = await answer.json().catch(() => {});
      if ((answer.ok || answer.type === 'opaqueredirect') && reply?.success !== false) {
        form.reset();
        status.textContent = '';
        location.replace('#sent');
      } else reasons = [reply?.message, ...(reply?.errors ?? []).map(({ message }) => message)];
    } catch {}
    if (status.textContent) {
      status.textContent = navigator.onLine ? [failed, ...reasons].join(' ') : offline;
    }
    button.disabled = false;
    // A disabled element loses the focus.
    if (document.activeElement === document.body) button.focus();
  });
}
