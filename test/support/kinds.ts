import { PLATES } from './showroom.ts';

/** Every kind of page of the showroom and its characteristics. */
export const PAGE_KINDS = {
  front: '',
  list: 'northgate/',
  'second page of a list': 'northgate/page/2/',
  vehicle: `northgate/${PLATES.mixed.toLowerCase()}/`,
  'vehicle with 30 pictures': `northgate/${PLATES.thirty.toLowerCase()}/`,
  'vehicle without media': `northgate/${PLATES.empty.toLowerCase()}/`,
  'vehicle with only a video': `northgate/${PLATES.onlyVideo.toLowerCase()}/`,
  'vehicle of a dealer without facts': 'riverside/rs51tuv/',
  'sheet for the window': `northgate/${PLATES.mixed.toLowerCase()}/sticker/`,
  'sheets of a dealer': 'northgate/sticker/',
  embed: `embed/northgate/${PLATES.mixed.toLowerCase()}/`,
  'embed finder': 'embed/northgate/find/',
  'lines for other websites': 'northgate/embed/',
  'withdrawn vehicle': 'northgate/zz99old/',
  'withdrawn embed': 'embed/northgate/zz99old/',
  make: 'northgate/make/skoda/',
  'make of the group': 'make/skoda/',
  'saved vehicles': 'saved/',
  'legal text': 'privacy/',
  'not found': '404.html',
} as const;
