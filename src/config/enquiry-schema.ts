import { z } from 'zod';
import { httpUrl, isLoopback } from './forms.ts';

const isSafeAddress = (text: string): boolean => {
  const url = URL.parse(text);
  return url === null || url.protocol === 'https:' || isLoopback(url);
};

const WAYS = ['netlify', 'formspree', 'web3forms', 'address'] as const;

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
    formspree: z
      .string()
      .regex(
        /^[A-Za-z0-9]{4,40}$/,
        'must be the id of the form, which is the last part of its address',
      )
      .optional()
      .describe('Id of the form at Formspree, the last part of its address.'),
    web3forms: z
      .string()
      .regex(
        /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
        'must be the access key in the form 01234567-89ab-cdef-0123-456789abcdef',
      )
      .optional()
      .describe('Access key of Web3Forms. It stands in every page and is no secret.'),
    address: httpUrl()
      .refine((text) => !text.includes('#'), 'must have no fragment')
      .refine(isSafeAddress, 'must be https (plain http only for this machine itself)')
      .optional()
      .describe('Any other address that takes forms (docs/hosting.md#enquiries).'),
  })
  .refine(
    (ways) => WAYS.filter((way) => ways[way] !== undefined).length === 1,
    `must have exactly one of ${WAYS.join(', ')}`,
  );

export type EnquirySetting = z.output<typeof enquirySchema>;

const PROVIDERS = {
  formspree: 'https://formspree.io',
  web3forms: 'https://api.web3forms.com',
} as const;

/** Address that a form is posted to; undefined where that is the page itself, at Netlify. */
export function enquiryAddress({ formspree, web3forms, address }: EnquirySetting) {
  if (formspree !== undefined) return `${PROVIDERS.formspree}/f/${formspree}`;
  if (web3forms !== undefined) return `${PROVIDERS.web3forms}/submit`;
  return address;
}
