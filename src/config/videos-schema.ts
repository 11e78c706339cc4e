import { z } from 'zod';

/** The section `videos` of the configuration. */
export const videosSchema = z.strictObject({
  providers: z
    .array(
      z.strictObject({
        name: z.string().min(1).describe('Name as visitors read it.'),
        host: z
          .string()
          .regex(
            /^(?:[a-z0-9-]+\.)+[a-z]{2,}$/,
            'must be an exact host name such as "videos.example"',
          )
          .describe('Exact host of the embed address; https and the default port are required.'),
        path: z
          .string()
          .startsWith('/')
          .refine((text) => {
            try {
              // Parsed without our anchors: between them, `/a)|(b` would be valid and match unanchored.
              return new RegExp(text) instanceof RegExp;
            } catch {
              return false;
            }
          }, 'must be a valid regular expression')
          .describe('Pattern that the whole path must match, such as "/embed/[a-z0-9]+".'),
        parameters: z.array(z.string()).default([]).describe('Query parameters that are kept.'),
        play: z
          .record(z.string(), z.string())
          .default({})
          .describe('Query parameters that start the player, such as { autoplay: "1" }.'),
      }),
    )
    .default([])
    .describe('Video hosts that may be embedded, besides the built-in ones.'),
  posters: z
    .enum(['provider', 'picture'])
    .default('provider')
    .describe(
      "Still of a video: the provider's, fetched when the site is built, or the vehicle's first picture.",
    ),
});
