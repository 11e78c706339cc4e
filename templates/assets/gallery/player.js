/** Puts the player where its still is; our controls make room for its own. */
export function play(link, allow) {
  const player = document.createElement('iframe');
  player.title = link.dataset.title;
  player.allow = allow;
  player.allowFullscreen = true;
  player.referrerPolicy = 'strict-origin-when-cross-origin';
  player.src = link.dataset.play;
  link.hidden = true;
  link.after(player);
  link.closest('.frame, .viewer').classList.add('playing');
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
