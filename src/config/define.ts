import type { UserConfig } from './schema.ts';

export type { UserConfig };

/** Gives `site.config.ts` its types and completions. It returns its argument. */
export function defineConfig(config: UserConfig): UserConfig {
  return config;
}
