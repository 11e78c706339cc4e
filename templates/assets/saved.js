/* Addresses of vehicles that were saved or looked at. This browser alone keeps them. */
import { kept } from './saved/kept.js';

const find = (selector) => document.querySelectorAll(selector);
const refresh = () => {
  for (const heart of find('.heart')) {
    heart.ariaPressed = kept('vehicles-saved').includes(heart.value);
  }
};

for (const { value } of find('.about .heart')) kept('vehicles-seen', value, true);
addEventListener('click', ({ target }) => {
  const heart = target.closest('.heart');
  kept('vehicles-saved', heart?.value, heart?.ariaPressed !== 'true');
  refresh();
});
// Also on the way back from another page, and where a list changes.
addEventListener('pageshow', refresh);
new MutationObserver(refresh).observe(document, { childList: true, subtree: true });
