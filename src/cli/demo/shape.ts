/**
 * What the demo holds beyond the service's own defaults: enough vehicles a dealer for every odd plate
 * and kind of video, pictures as wide as the widest thumbnail, and about four a vehicle, because
 * making their thumbnails is most of what the demo costs.
 */
export const DEMO_SHAPE = { vehicles: 10, images: 4, pictureScale: 0.8 } as const;
