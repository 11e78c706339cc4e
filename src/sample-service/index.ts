export { SampleStore } from './data/store.ts';
export type {
  PictureOverride,
  SampleAccount,
  SampleData,
  SampleDealer,
} from './data/types.ts';
export type { Fault, Faults } from './faults.ts';
export { REAL_FIELD_NAMES, SAMPLE_DEFAULTS, type SampleServiceOptions } from './options.ts';
export type { LoggedRequest, RequestLog } from './request-log.ts';
export { type SampleService, startSampleService } from './server.ts';
