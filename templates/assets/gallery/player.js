/** How long a player may take to answer, in milliseconds. */
const PATIENCE = 4000;

/** Puts the player where its still is; our controls make room for its own. */
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
  list.closest('.frame, .viewer').classList.add('playing');
  // Nobody tells of a frame whether its page came: only of one that is still waiting, and of a host that is
  // asked. Then the still comes back, and leads to the service's own page of the video.
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
    stop(list);
    link.focus({ preventScroll: true });
  }, PATIENCE);
  return player;
}

/** A player that is left is taken out: it would go on talking. */
export function stop(list, except) {
  for (const player of list.querySelectorAll('iframe')) {
    if (player.parentElement === except) continue;
    player.previousElementSibling.hidden = false;
    player.remove();
  }
  const playing = list.querySelector('iframe') !== null;
  list.closest('.frame, .viewer').classList.toggle('playing', playing);
}
