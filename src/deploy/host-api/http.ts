import { z } from 'zod';
import { Secret } from '../../config/secret.ts';
import { printable, RefusedError, UnreachableError } from '../../errors.ts';
import {
  HttpClient,
  type HttpClientOptions,
  type HttpFailures,
  type HttpFault,
  LONGEST_WAIT,
} from '../../lib/http/http.ts';
import { matchingJson } from '../../lib/json.ts';
import { timeText } from '../../lib/terminal/progress.ts';

export interface HostHttpOptions
  extends Pick<HttpClientOptions, 'clock' | 'deadline' | 'name' | 'pace' | 'retries'> {
  /** Prefix of error codes: `netlify` gives `netlify-refused`. */
  code: string;
  /** Advice if the host refuses a request. */
  fix: string;
  /** Variable with the address of the host. */
  address?: string;
  signal: AbortSignal;
  /** Called with a text for the user if the host asks to wait. */
  onWait(text: string): void;
}

/** How requests to a host are made and named in errors. */
export type HostHttpSettings = Pick<HostHttpOptions, 'code' | 'name' | 'fix' | 'address' | 'pace'>;

/** The client for requests to a host. */
export function hostHttp({ code, fix, address, ...options }: HostHttpOptions): HttpClient {
  const failures = failuresOf({ name: options.name, code, fix, address });
  return new HttpClient({ ...options, failures });
}

/** Advice if something other than the host may have answered, or nothing did. */
export const tryLater = (address: string | undefined): string =>
  address ? `Check ${address} if it is set. Otherwise deploy again later.` : 'Deploy again later.';

/** Body and headers of a JSON request. */
export const jsonBody = (value: unknown) => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

const failuresOf = ({ name, code, fix, address }: HostHttpSettings): HttpFailures => ({
  refused: ({ what }, fault) => {
    const reason = reasonOf(fault);
    return new RefusedError({
      code: `${code}-refused`,
      what: `${name} refused ${what} (status ${fault.status}).`,
      why: reason === undefined ? 'It gave no readable reason.' : `It reported: "${reason}"`,
      fix,
    });
  },
  unreachable: ({ what }, { status, description }, tries) =>
    new UnreachableError({
      code: `${code}-unreachable`,
      what: `${name} gave no usable response to ${what}.`,
      why: `After ${tries} ${tries === 1 ? 'try' : 'tries'}: ${description}.`,
      fix: `${tryLater(status === 0 ? address : undefined)} Finished uploads are not repeated.`,
    }),
  limited: ({ what }, wait) =>
    new UnreachableError({
      code: 'deploy-limit',
      what: `${name} accepts no more requests for now.`,
      why: `It asked to wait ${timeText(wait)} before ${what}. The longest wait is ${timeText(LONGEST_WAIT)}.`,
      fix: 'Deploy again later. Finished uploads are not repeated. docs/hosting.md names the limits of the hosts.',
    }),
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
  if (text.startsWith('<')) {
    // S3 hosts answer in XML, for another region with the right endpoint. A gateway's HTML error page explains nothing.
    const [, error = ''] = /<Error>(.*)/.exec(text) ?? [];
    const parts = ['Code', 'Message', 'Endpoint'].flatMap(
      (name) => new RegExp(`<${name}>([^<]+)</`).exec(error)?.[1] ?? [],
    );
    text = parts.join(' – ');
  }
  if (text === '') return undefined;
  const secrets = Object.entries(sent)
    .filter(([name]) => /^(?:authorization|cookie|x-auth-.*|x-amz-security-token)$/i.test(name))
    .flatMap(([, value]) => value.replaceAll(SIGNATURE_WORDS, ' ').split(/[\s,=]+/));
  const safe = secrets.reduce((rest, value) => new Secret(value).redact(rest), messageIn(text));
  return printable(safe).slice(0, 300);
}

/** The message in a response: `message` at Netlify, `errors` with error numbers at Cloudflare. */
function messageIn(text: string): string {
  const { message, errors = [{ message }] } = matchingJson(text, answerSchema) ?? {};
  const messages = errors.flatMap(({ code, message: text }) =>
    text ? [code === undefined ? text : `${text} (${code})`] : [],
  );
  return messages.join('; ') || text;
}
