import { z } from 'zod';
import { httpUrl, isLoopback } from './forms.ts';

const isSafeAddress = (text: string): boolean => {
  const url = URL.parse(text);
  return url === null || url.protocol === 'https:' || isLoopback(url);
};

/** Where enquiries go: to exactly one. */
export const enquirySchema = z
  .strictObject({
    netlify: z
      .string()
      .regex(
        /^[a-z][a-z0-9-]{0,63}$/,
        'must be lower-case letters, digits and hyphens, such as "enquiry"',
      )
      .optional()
      .describe('Name of the form at Netlify, for a site that is there.'),
    address: httpUrl()
      .refine((text) => !text.includes('#'), 'must have no fragment')
      .refine(isSafeAddress, 'must be https (plain http only for this machine itself)')
      .optional()
      .describe(
        'URL that takes forms, of Formspree, Web3Forms or any other service (docs/hosting.md#enquiries).',
      ),
  })
  .refine(
    ({ netlify, address }) => (netlify === undefined) !== (address === undefined),
    'must have exactly one of netlify, address',
  );

export type EnquirySetting = z.output<typeof enquirySchema>;
