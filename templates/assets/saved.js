/* Addresses of vehicles that were saved or looked at. This browser alone keeps them. */
{
  const find = (selector) => document.querySelectorAll(selector);
  /** The addresses of a list, the newest first; one can be taken out of it, and put in again. */
  const kept = (key, url, isIn, all = []) => {
    try {
      all = JSON.parse(localStorage[key] ?? '[]');
      if (url) {
        all = all.filter((one) => one !== url);
        if (isIn) all.unshift(url);
        localStorage[key] = JSON.stringify(all.slice(0, 24));
      }
    } catch {
      // There are browsers that keep nothing.
    }
    return all;
  };
  const refresh = () => {
    for (const heart of find('.heart')) {
      heart.ariaPressed = kept('vehicles-saved').includes(heart.value);
    }
  };

  for (const list of find('.cards[id]')) {
    for (const url of kept(list.id)) {
      // In their order, though the answers come in any.
      const card = list.children[0].cloneNode(true);
      list.append(card);
      const request = new XMLHttpRequest();
      request.responseType = 'document';
      request.onload = () => {
        const vehicle = request.response.querySelector('.vehicle');
        if (vehicle) {
          const [link, heart] = card.children;
          link.href = heart.value = url;
          for (const place of link.children) {
            place.append(...(vehicle.querySelector(place.dataset.of)?.childNodes ?? []));
          }
          heart.ariaLabel += link.textContent;
          // Else it is gone, as far as the site is in order.
        } else if (request.status < 500) kept(list.id, url);
      };
      request.open('GET', url);
      request.send();
    }
  }
  for (const { value } of find('.vehicle .heart')) kept('vehicles-seen', value, true);
  addEventListener('click', ({ target }) => {
    const heart = target.closest('.heart');
    kept('vehicles-saved', heart?.value, heart?.ariaPressed !== 'true');
    refresh();
  });
  // Also on the way back from another page, and where a list changes.
  addEventListener('pageshow', refresh);
  new MutationObserver(refresh).observe(document, { childList: true, subtree: true });
}
