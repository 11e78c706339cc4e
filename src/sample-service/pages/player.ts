import { escapeHtml } from '../../lib/html.ts';
import type { Located } from '../data/store.ts';
import { page } from './html.ts';

export interface PlayerOptions {
  /** Play at once. */
  autoplay?: boolean;
  /** Report each change to the framing page with postMessage; the default is to post nothing. */
  postsToParent?: boolean;
}

/** Length of the "film" in seconds, in which the still moves once. */
const DURATION_S = 20;

const STYLE = `
*{box-sizing:border-box}
html,body{height:100%;margin:0;background:#0b0d10;color:#fff;font:15px/1.4 system-ui,sans-serif}
.player{position:relative;width:100%;height:100%;min-height:120px;overflow:hidden}
.film{position:absolute;inset:0;width:100%;height:100%;object-fit:cover;animation:film ${DURATION_S}s ease-in-out infinite alternate paused;transform-origin:30% 60%}
@keyframes film{0%{transform:scale(1.02)}40%{transform:scale(1.28) translate(-4%,-2%)}70%{transform:scale(1.4) translate(6%,-4%)}100%{transform:scale(1.1) translate(3%,1%)}}
.shade{position:absolute;inset:0;background:linear-gradient(#000a,#0000 30%,#0000 60%,#000b);transition:opacity .3s;pointer-events:none}
.title{position:absolute;left:16px;right:16px;top:12px;margin:0;font-size:17px;font-weight:600;text-shadow:0 1px 3px #000}
.title small{display:block;font-size:13px;font-weight:400;opacity:.85;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.play{position:absolute;inset:0;width:100%;border:0;padding:0;background:none;cursor:pointer;color:inherit}
.play:focus-visible{outline:3px solid #7cc4ff;outline-offset:-6px}
.play span{position:absolute;left:50%;top:50%;width:76px;height:76px;margin:-38px;border-radius:50%;background:#fffffff0;box-shadow:0 6px 24px #0008;transition:transform .2s,opacity .2s}
.play span::before{content:"";position:absolute;left:29px;top:22px;border:solid transparent;border-width:16px 0 16px 25px;border-left-color:#14181d}
.play:hover span{transform:scale(1.08)}
.bar{position:absolute;left:16px;right:16px;bottom:16px;height:4px;border-radius:2px;background:#fff5;overflow:hidden;pointer-events:none}
.bar i{display:block;height:100%;background:#ff5a3c;transform-origin:0 50%;transform:scaleX(0);animation:bar ${DURATION_S}s linear infinite paused}
@keyframes bar{to{transform:scaleX(1)}}
.state{position:absolute;left:16px;bottom:26px;font-size:13px;text-shadow:0 1px 2px #000;pointer-events:none}
[data-state=playing] .film,[data-state=playing] .bar i{animation-play-state:running}
[data-state=playing] .play span{opacity:0}
[data-state=playing] .shade{opacity:.45}
@media (prefers-reduced-motion:reduce){.film{animation:none}}
`;

/**
 * The player: a still that moves while it plays, a progress bar, and a state that can be read from `<main data-state="ready|playing|paused">`. All it loads is its own poster.
 */
export function playerPage(
  { dealer, vehicle, item }: Located,
  baseUrl: string,
  { autoplay = false, postsToParent = false }: PlayerOptions = {},
): string {
  const script = `
const main = document.querySelector('main');
const button = document.querySelector('.play');
const state = document.querySelector('.state');
function show(next) {
  main.dataset.state = next;
  state.textContent = next === 'playing' ? 'Playing' : 'Paused';
  button.setAttribute('aria-label', next === 'playing' ? 'Pause' : 'Play');
  ${postsToParent ? "if (parent !== window) parent.postMessage({ event: 'state', state: next }, '*');" : ''}
}
button.addEventListener('click', () => show(main.dataset.state === 'playing' ? 'paused' : 'playing'));
${autoplay ? "show('playing');" : ''}
`;
  return page(
    item.label,
    STYLE,
    `<main class="player" data-state="ready">
<img class="film" src="${baseUrl}/posters/${item.id}.jpg" alt="">
<div class="shade"></div>
<button class="play" type="button" aria-label="Play"><span></span></button>
<p class="title">${escapeHtml(item.label)}<small>${escapeHtml(`${dealer.name} ${vehicle.vrm}`)}</small></p>
<p class="state" role="status"></p>
<div class="bar"><i></i></div>
</main>
<script>${script}</script>`,
  );
}
