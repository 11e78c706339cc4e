/* The buttons that share, print, and copy the snippet. */
(() => {
  const say = (button, text) => {
    const label = button.querySelector('span');
    const before = label.textContent;
    label.textContent = text;
    button.setAttribute('aria-live', 'polite');
    setTimeout(() => {
      label.textContent = before;
    }, 2500);
  };
  const copy = async (button, text) => {
    try {
      await navigator.clipboard.writeText(text);
      say(button, button.dataset.copied);
    } catch {
      // Without permission or https: the address at least can be copied by hand.
      prompt(button.dataset.copy, text);
    }
  };

  for (const button of document.querySelectorAll('.share')) {
    const { share: url, title, copy: label } = button.dataset;
    const native = navigator.canShare?.({ title, url });
    if (!native) button.querySelector('span').textContent = label;
    button.addEventListener('click', () => {
      if (native) navigator.share({ title, url }).catch(() => {});
      else copy(button, url);
    });
  }
  document.querySelector('.print')?.addEventListener('click', () => print());
  for (const button of document.querySelectorAll('.copy')) {
    const area = button.closest('.snippet').querySelector('textarea');
    area.addEventListener('focus', () => area.select());
    button.addEventListener('click', () => {
      area.select();
      copy(button, area.value);
    });
  }
})();
