import type { PageView, SiteModel } from './view.ts';

/** All pages of a model by the layout that they are rendered with. */
export function pagesByLayout(model: SiteModel): Map<string, readonly PageView[]> {
  const { front, notFound, lists, vehicles, embeds, finders, own } = model;
  return new Map<string, readonly PageView[]>([
    ['layouts/front.njk', [front]],
    ['layouts/404.njk', [notFound]],
    ['layouts/list.njk', lists],
    ['layouts/vehicle.njk', vehicles.filter(({ withdrawn }) => !withdrawn)],
    ['layouts/withdrawn.njk', vehicles.filter(({ withdrawn }) => withdrawn)],
    ['layouts/embed.njk', embeds.filter(({ vehicle }) => !vehicle.withdrawn)],
    ['layouts/embed-gone.njk', embeds.filter(({ vehicle }) => vehicle.withdrawn)],
    ['layouts/embed-find.njk', finders],
    ...Map.groupBy(own, ({ template }) => template),
  ]);
}
