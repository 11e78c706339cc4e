import { z } from 'zod';
import { Secret } from '../../config/secret.ts';
import {
  type Clock,
  HttpClient,
  type HttpClientOptions,
  type HttpFault,
} from '../../lib/http/http.ts';
import { matchingJson } from '../../lib/json.ts';
import { s3Error } from '../../lib/s3/client.ts';

export interface HostHttpOptions extends Omit<HttpClientOptions, 'later' | 'reasonOf'> {
  /** Variable with the address of the host. */
  address?: string;
}

/** How requests to a host are made and named in errors. */
export type HostHttpSettings = Pick<HostHttpOptions, 'code' | 'name' | 'fix' | 'address' | 'pace'>;

/** Advice if something other than the host may have answered, or nothing did. */
const later = (address: string | undefined): string =>
  `${address ? `Check ${address} if it is set. Otherwise deploy` : 'Deploy'} again later. Finished uploads are not repeated. docs/hosting.md names the limits of the hosts.`;

/** The client for requests to a host. */
export const hostHttp = ({ address, ...options }: HostHttpOptions): HttpClient =>
  new HttpClient({ ...options, later: later(address), reasonOf });

/** The client for the last requests of a failed deploy. An aborted deploy sends no requests with its own client. */
export const closingHttp = (settings: HostHttpSettings, clock: Clock): HttpClient =>
  hostHttp({ ...settings, retries: 1, deadline: 10_000, clock });

/** Body and headers of a JSON request. */
export const jsonBody = (value: unknown) => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

const answerSchema = z.object({
  message: z.string().optional(),
  errors: z
    .array(
      z.object({
        code: z.union([z.string(), z.number()]).optional(),
        message: z.string().optional(),
      }),
    )
    .min(1)
    .optional(),
});

/** Words of a signed request that are not secret, and that S3 hosts use in their reasons. */
const SIGNATURE_WORDS = /(?:Credential|SignedHeaders|Signature)=|\/\d{8}\/\S+/g;

/** The host's reason for a refusal, without the credentials in the request. */
function reasonOf({ bytes, sent }: HttpFault): string | undefined {
  let text = bytes?.subarray(0, 4000).toString('utf8').replace(/\s+/g, ' ').trim() ?? '';
  if (text.startsWith('<')) text = s3Error(bytes).join(' – ');
  if (text === '') return undefined;
  const secrets = Object.entries(sent)
    .filter(([name]) => /^(?:authorization|cookie|x-auth-.*|x-amz-security-token)$/i.test(name))
    .flatMap(([, value]) => value.replaceAll(SIGNATURE_WORDS, ' ').split(/[\s,=]+/));
  const safe = secrets.reduce((rest, value) => new Secret(value).redact(rest), messageIn(text));
  return safe.slice(0, 300);
}

/** The message in a response: `message` at Netlify, `errors` with error numbers at Cloudflare. */
function messageIn(text: string): string {
  const { message, errors = [{ message }] } = matchingJson(text, answerSchema) ?? {};
  const messages = errors.flatMap(({ code, message: text }) =>
    text ? [code === undefined ? text : `${text} (${code})`] : [],
  );
  return messages.join('; ') || text;
}
