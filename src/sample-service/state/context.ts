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

/** A value of JSON with `{base_url}` in every text replaced by the service's own address. */
export const withBaseUrl = <T>(value: T, baseUrl: string): T =>
  JSON.parse(JSON.stringify(value).replaceAll(BASE_URL, baseUrl));
