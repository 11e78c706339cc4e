/** Time limit for a player to respond, in milliseconds. */
const PATIENCE = 4000;

/** Replaces the still with the player. The buttons make space for its controls. */
export function play(link, allow) {
  const { dataset } = link;
  const player = document.createElement('iframe');
  player.title = dataset.title;
  player.allow = allow;
  player.allowFullscreen = true;
  player.referrerPolicy = 'strict-origin-when-cross-origin';
  player.src = dataset.play;
  link.hidden = true;
  link.after(player);
  const list = link.closest('.stage');
  stop(list, link.parentElement);
  // Browsers do not report whether a frame has loaded. Failures are only known from a frame that is still waiting,
  // or from a request to the host. Then the still returns and links to the service's page of the video.
  let isBlocked = !navigator.onLine;
  if ('answers' in dataset) {
    fetch(player.src, { method: 'HEAD', mode: 'no-cors', credentials: 'omit' }).catch(() => {
      isBlocked = true;
    });
  }
  setTimeout(() => {
    if (!player.isConnected || !(isBlocked || player.contentDocument)) return;
    delete dataset.play;
    link.querySelector('.cta span').textContent = dataset.watch;
    // Unless the visitor has already moved on.
    const wasHere = link.parentNode.matches(':focus-within');
    stop(list);
    if (wasHere) link.focus({ preventScroll: true });
  }, PATIENCE);
  return player;
}

/** Removes the player when the visitor moves on, because its sound would continue. */
export function stop(list, except) {
  for (const player of list.querySelectorAll('iframe')) {
    if (player.parentElement === except) continue;
    player.previousElementSibling.hidden = false;
    player.remove();
  }
  const isPlaying = Boolean(list.querySelector('iframe'));
  list.closest('.frame, .viewer').classList.toggle('playing', isPlaying);
}
