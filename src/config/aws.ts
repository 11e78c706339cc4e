import { Secret } from './secret.ts';

/** The region that Amazon's own tools use, from the environment; undefined if none is set. */
export const awsRegion = (env: NodeJS.ProcessEnv): string | undefined =>
  env.AWS_REGION?.trim() || env.AWS_DEFAULT_REGION?.trim() || undefined;

/** The token that belongs to temporary keys, such as those of a role in CI; undefined for other keys. */
export function awsSessionToken(env: NodeJS.ProcessEnv): Secret | undefined {
  const token = env.AWS_SESSION_TOKEN?.trim() ?? '';
  return token === '' ? undefined : new Secret(token);
}
