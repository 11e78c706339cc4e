import { vehicleSlug } from '../../stock/address.ts';
import type { DealerStock } from '../../stock/load.ts';
import type { SiteContext } from '../views/context.ts';
import { makePath, makesIn, withPage } from '../views/makes.ts';
import { SAVED_ADDRESS } from '../views/site-pages.ts';
import { embedAt, listPaths, pageAt } from '../views/site-url.ts';

/** File and description of every page in one language, except custom pages. */
export function* namesOf(
  stock: readonly DealerStock[],
  { place, legal, perPage, favourites }: SiteContext,
) {
  const at = (path: string) => pageAt(place, path).file;
  yield { file: at('/'), what: 'the front page' };
  if (favourites) yield { file: at(SAVED_ADDRESS), what: 'the page of saved vehicles' };
  if (place.folder === '') {
    yield { file: '/404.html', what: 'the page for what is not there' };
    for (const { page } of legal) {
      yield { file: at(`/${page}/`), what: `the page of site.legal.${page}` };
    }
  }
  for (const { dealer, source, vehicles, withdrawn, list } of stock) {
    if (source === 'none') continue;
    for (const path of listPaths(`/${dealer.slug}/`, vehicles.length, perPage)) {
      yield { file: at(path), what: `a list of ${dealer.name}` };
    }
    for (const { slug, name, vehicles: count } of withPage(makesIn(vehicles, list?.facts))) {
      for (const path of listPaths(makePath(dealer.slug, slug), count, perPage)) {
        yield { file: at(path), what: `the list of ${name} of ${dealer.name}` };
      }
    }
    yield {
      file: embedAt(place, `/${dealer.slug}/find/`).file,
      what: `the search page of ${dealer.name}`,
    };
    yield {
      file: at(`/${dealer.slug}/embed/`),
      what: `the page with the embed code of ${dealer.name}`,
    };
    for (const { vrm } of [...vehicles, ...withdrawn]) {
      const path = `/${dealer.slug}/${vehicleSlug(vrm)}/`;
      const name = JSON.stringify(vrm);
      yield { file: at(path), what: `vehicle ${name} of ${dealer.name}` };
      yield { file: embedAt(place, path).file, what: `the embed page of vehicle ${name}` };
    }
  }
}
