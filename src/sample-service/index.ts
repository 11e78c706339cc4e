export type { SampleData } from './data/store.ts';
export {
  livePresent,
  REAL_FIELD_NAMES,
  SAMPLE_DEFAULTS,
  type SampleServiceOptions,
} from './options.ts';
export { type SampleService, startSampleService } from './server.ts';
