/* URLs of saved and visited vehicles. They are stored only in this browser. Almost all pages have this script. */
import { calmTransitions } from './pages/transition.js';
import { storedUrls } from './saved/kept.js';

const find = (selector) => document.querySelectorAll(selector);
const refresh = () => {
  for (const heart of find('.heart')) {
    heart.ariaPressed = storedUrls('vehicles-saved').includes(heart.value);
  }
};

for (const { value } of find('.about .heart')) storedUrls('vehicles-seen', value, true);
const save = ({ target }) => {
  const heart = target.closest('.heart');
  storedUrls('vehicles-saved', heart?.value, heart?.ariaPressed !== 'true');
  refresh();
};
// Before compare.js reads the list.
addEventListener('click', save, true);
calmTransitions();
// Also after going back from another page, and after a list changes.
addEventListener('pageshow', refresh);
new MutationObserver(refresh).observe(document, { childList: true, subtree: true });
