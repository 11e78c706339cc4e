import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { duration } from './duration.ts';
import { hostEntry, wholeNumber } from './forms.ts';

const FORMATS = ['webp', 'avif', 'jpeg'] as const;

/** The section `media` of the configuration. */
export const mediaSchema = z.strictObject({
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
      'Widths besides for the full-screen viewer, such as [1600, 1920, 2560], in the first of the formats. Each is made of the pictures that are as wide, and is a file more of each of them: the doctor says how many.',
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
  fallbackWidth: wholeNumber(16, 8192)
    .default(640)
    .describe("Width of every picture's JPEG, where fallback is 'all'."),
  quality: z
    .strictObject({
      webp: wholeNumber(1, 100).default(75),
      avif: wholeNumber(1, 100).default(50),
      jpeg: wholeNumber(1, 100).default(78),
    })
    .prefault({})
    .describe('Quality by format, 1 to 100.'),
  effort: z
    .strictObject({
      webp: wholeNumber(0, 6).default(2),
      avif: wholeNumber(0, 9).default(0),
    })
    .prefault({})
    .describe('Encoder effort by format: more costs CPU and saves bytes.'),
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
  mirrorWidth: wholeNumber(640, 8192)
    .default(2560)
    .describe("Largest width of a mirrored full-size picture, where fullSize is 'mirror'."),
  revalidateAfter: duration('7d').describe(
    'After how long an unchanged address is asked again whether its picture changed.',
  ),
  downloads: wholeNumber(0, 64)
    .default(0)
    .describe('Pictures downloaded at the same time; 0 decides from cores and memory.'),
  encoders: wholeNumber(0, 64)
    .default(0)
    .describe('Pictures decoded and encoded at the same time; 0 decides from cores and memory.'),
  timeout: duration('60s').describe(
    'Deadline for one picture, redirects and retries of it included.',
  ),
  stallTimeout: duration('15s').describe('Longest wait for the next byte of a picture.'),
  maxBytes: wholeNumber(1024, 2 ** 30)
    .default(20 * 2 ** 20)
    .describe('Largest picture that is downloaded, in bytes.'),
  maxPixels: wholeNumber(1, 268_402_689)
    .default(50_000_000)
    .describe('Largest picture that is decoded, in pixels.'),
});
