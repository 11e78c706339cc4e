import type { UserConfig } from './schema.ts';

export type { UserConfig };

/** Gives `site.config.ts` its types and completions; returns what it was given. */
export function defineConfig(config: UserConfig): UserConfig {
  return config;
}
