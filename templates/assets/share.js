/* The buttons that share and print. */
import { copy } from './share/copy.js';

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
