import type { FieldNames } from '../../contract/field-names.ts';
import type { SampleStore } from '../data/store.ts';
import { BASE_URL } from '../data/types.ts';
import type { PictureStore } from '../drawing/picture-store.ts';
import type { Faults } from './faults.ts';
import type { RequestLog } from './request-log.ts';

/** Shared state of the routes of one running service. */
export interface ServiceContext {
  baseUrl: string;
  data: SampleStore;
  faults: Faults;
  requests: RequestLog;
  pictures: PictureStore;
  fieldNames: FieldNames;
  mediaKey: string;
  batchKey: string;
  /** The service's present moment, milliseconds since 1970. */
  readonly now: number;
}

/** A value with `{base_url}` in every text replaced by the service's own address. */
export function withBaseUrl(value: unknown, baseUrl: string): unknown {
  if (typeof value === 'string') return value.replaceAll(BASE_URL, baseUrl);
  if (Array.isArray(value)) return value.map((element) => withBaseUrl(element, baseUrl));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withBaseUrl(inner, baseUrl)]),
  );
}
