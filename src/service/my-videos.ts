import type { ServiceConfig } from '../config/schema.ts';
import type { Secret } from '../config/secret.ts';
import { BATCH_KEY_FORM, ERROR_MESSAGES } from '../contract/batch.ts';
import { ConfigError, RefusedError } from '../errors.ts';
import { getAnswer } from './get-json.ts';

interface MyVideosOptions {
  service: ServiceConfig;
  account: { name: string; customerId: string; pathId: string; apiKeyEnv: string; apiKey: Secret };
  daysOfHistory: number;
  signal?: AbortSignal;
}

const unknownCustomer = (account: MyVideosOptions['account'], cause: RefusedError) =>
  new RefusedError({
    code: 'batches-unknown-customer',
    what: `The service does not know the customer of account "${account.name}".`,
    why: `It reported: "${ERROR_MESSAGES.unknownCustomer}".`,
    fix: `Check customerId of account "${account.name}" in the configuration with the vendor.`,
    cause,
  });

const malformedKey = (account: MyVideosOptions['account'], why: string) =>
  new ConfigError({
    code: 'batches-key-form',
    what: `The key of account "${account.name}" does not have the form that the service requires.`,
    why,
    fix: `Check the environment variable ${account.apiKeyEnv}: five groups of 8-4-4-4-12 characters, without spaces or quotes.`,
  });

/**
 * MyVideos (interface 4.2) for one account: the batches of the last `daysOfHistory` days.
 * The response contains personal data, so it is never cached or logged.
 *
 * @returns the array of the response, its records not yet parsed.
 * @throws {ConfigError} the key does not have the 8-4-4-4-12 form (interface 5) and nothing was sent, or the
 *   service reports so (interface 7).
 * @throws {RefusedError} the service does not know the customer (interface 7).
 * @throws like {@link getAnswer}.
 */
export async function getMyVideos(options: MyVideosOptions): Promise<unknown[]> {
  const { service, account } = options;
  if (!BATCH_KEY_FORM.test(account.apiKey.reveal())) {
    throw malformedKey(account, 'MyVideos rejects keys of any other form.');
  }
  const url = new URL(
    `${service.baseUrl}/PublicAPI/MyVideos/v1/cakes/${encodeURIComponent(account.pathId)}`,
  );
  url.searchParams.set('customerId', account.customerId);
  url.searchParams.set('daysOfHistory', String(options.daysOfHistory));
  try {
    const answer = await getAnswer({
      url,
      apiKey: account.apiKey,
      subject: `account "${account.name}"`,
      service,
      signal: options.signal,
      smaller: `Fewer days make it smaller: daysOfHistory of account "${account.name}".`,
    });
    return answer.records;
  } catch (error) {
    if (error instanceof RefusedError && error.why?.includes(ERROR_MESSAGES.unknownCustomer)) {
      throw unknownCustomer(account, error);
    }
    if (error instanceof RefusedError && error.why?.includes(ERROR_MESSAGES.malformedKey)) {
      throw malformedKey(account, `It reported: "${ERROR_MESSAGES.malformedKey}".`);
    }
    throw error;
  }
}
