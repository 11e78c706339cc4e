import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { hostEntry, wholeNumber } from './forms.ts';

const FORMATS = ['webp', 'avif', 'jpeg'] as const;

const MB = 2 ** 20;
const DAY = 86_400_000;

const mediaSettings = z.strictObject({
  hosts: z
    .array(hostEntry())
    .default([])
    .describe(
      'Hosts that pictures may come from, besides the service\'s own. "*" allows any public host at its usual port.',
    ),
  privateNetworks: z
    .array(
      z
        .string()
        .refine((text) => ipaddr.isValidCIDR(text), 'must be a network such as "10.0.0.0/8"'),
    )
    .default([])
    .describe('Private networks that picture hosts may resolve to. Normally none.'),
  widths: z
    .array(wholeNumber(16, 8192))
    .min(1)
    .transform((widths) => [...new Set(widths)].sort((a, b) => a - b))
    .default([320, 800, 1280])
    .describe('Widths of the thumbnails in pixels. A picture is never enlarged.'),
  viewerWidths: z
    .array(wholeNumber(640, 8192))
    .transform((widths) => [...new Set(widths)].sort((a, b) => a - b))
    .default([])
    .describe(
      'Widths besides for the full-screen viewer, such as [1600, 1920, 2560], in the first of the formats. Each is made of the pictures that are as wide, and is a file more of each of them.',
    ),
  formats: z
    .array(z.enum(FORMATS))
    .min(1)
    .default(['webp'])
    .describe('Formats in which every width is made, best first.'),
  fallback: z
    .enum(['cover', 'all'])
    .default('cover')
    .describe(
      "What has a JPEG besides, for readers that know nothing newer: 'cover', the first picture of a vehicle alone (as it is shared, 1200×630), or 'all', every picture.",
    ),
  crop: z
    .enum(['centre', 'attention'])
    .default('centre')
    .describe('What cards and sharing pictures keep: the middle, or what looks interesting.'),
  fullSize: z
    .enum(['link', 'mirror'])
    .default('link')
    .describe(
      "Full-size pictures: 'link' to the service's own address, or 'mirror' as a copy of ours.",
    ),
});

/** The section `media`, with the limits that have one right value. */
export const mediaSchema = mediaSettings.transform((media) => ({
  ...media,
  /** After this time, an unchanged address is asked again whether its picture changed. */
  revalidateAfter: 7 * DAY,
  /** Pictures downloaded at the same time; 0 decides from cores and memory. */
  downloads: 0,
  /** Pictures decoded and encoded at the same time; 0 decides from cores and memory. */
  encoders: 0,
  /** Deadline for one picture, including its redirects and retries. */
  timeout: 60_000,
  /** Longest wait for the next byte of a picture. */
  stallTimeout: 15_000,
  /** Largest picture that is downloaded, in bytes. */
  maxBytes: 20 * MB,
  /** Largest picture that is decoded, in pixels. */
  maxPixels: 50_000_000,
}));
