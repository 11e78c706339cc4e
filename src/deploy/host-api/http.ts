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
  signal: AbortSignal;
  /** Called with a text for the user if the host asks to wait. */
  onWait(text: string): void;
}

/** How requests to a host are made and named in errors. */
export type HostHttpSettings = Pick<HostHttpOptions, 'code' | 'name' | 'fix' | 'pace'>;

/** The client for requests to a host. */
export function hostHttp({ code, fix, ...options }: HostHttpOptions): HttpClient {
  return new HttpClient({ ...options, failures: failuresOf(options.name, code, fix) });
}

/** Body and headers of a JSON request. */
export const jsonBody = (value: unknown) => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

const failuresOf = (name: string, code: string, fix: string): HttpFailures => ({
  refused: ({ what }, fault) => {
    const reason = reasonOf(fault);
    return new RefusedError({
      code: `${code}-refused`,
      what: `${name} refused ${what} (status ${fault.status}).`,
      why: reason === undefined ? 'It gave no readable reason.' : `It reported: "${reason}"`,
      fix,
    });
  },
  unreachable: ({ what }, { description }, tries) =>
    new UnreachableError({
      code: `${code}-unreachable`,
      what: `${name} gave no usable response to ${what}.`,
      why: `After ${tries} ${tries === 1 ? 'try' : 'tries'}: ${description}.`,
      fix: 'Deploy again later. Finished uploads are not repeated.',
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

/** The host's reason for a refusal, without the credentials in the request. */
function reasonOf({ bytes, sent }: HttpFault): string | undefined {
  const text = bytes?.subarray(0, 4000).toString('utf8').replace(/\s+/g, ' ').trim() ?? '';
  if (text.startsWith('<')) {
    // S3 hosts answer in XML. A gateway's HTML error page explains nothing.
    return /<Error>.*<Code>(\w{1,100})<\/Code>/.exec(text)?.[1];
  }
  if (text === '') return undefined;
  const secrets = Object.entries(sent)
    .filter(([name]) => /^(?:authorization|cookie|x-auth-.*|x-amz-security-token)$/i.test(name))
    .flatMap(([, value]) => value.split(/[\s,=]+/));
  const safe = secrets.reduce((text, value) => new Secret(value).redact(text), messageIn(text));
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
