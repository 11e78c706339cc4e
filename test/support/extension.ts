import path from 'node:path';
import type { LoadedConfig } from '../../src/config/load.ts';
import type { SampleService } from '../../src/sample-service/index.ts';
import { configFor } from './build.ts';

/** A configuration with the theme and the extension of a folder. */
export const withExtension = (service: SampleService, folder: string): LoadedConfig =>
  configFor(service, {
    site: {
      title: 'Test Motors',
      url: 'https://cars.example',
      theme: path.join(folder, 'theme'),
      extend: path.join(folder, 'extend.js'),
    },
  });
