import type { Answers } from './answers.ts';

/** Secrets and variables that a host's deploy needs, by name. docs/hosting.md says where to get them. */
export const DEPLOY_SETTINGS: Readonly<Record<string, { secrets: string[]; variables: string[] }>> =
  {
    cloudflare: {
      secrets: ['CLOUDFLARE_API_TOKEN', 'CLOUDFLARE_ACCOUNT_ID'],
      variables: ['CLOUDFLARE_PROJECT'],
    },
    netlify: { secrets: ['NETLIFY_AUTH_TOKEN'], variables: ['NETLIFY_SITE_ID'] },
    github: { secrets: [], variables: [] },
    gitlab: { secrets: [], variables: [] },
    s3: {
      secrets: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
      variables: ['S3_BUCKET', 'S3_ENDPOINT', 'S3_REGION'],
    },
  };

/** What is left to do by hand, for the terminal. */
export function nextSteps({ ci, host, dealers, accounts }: Answers): string[] {
  const keys = [...new Set(dealers.map(({ apiKeyEnv }) => apiKeyEnv))];
  const { secrets, variables } = DEPLOY_SETTINGS[host] ?? { secrets: [], variables: [] };
  const lines = ['Next:', '  npm run build            the site, in _site/'];
  if (accounts.length > 0) lines.push('  npm run batches -- pull  the history of sent videos');
  if (ci === 'none') return lines;
  const named = [...keys, ...secrets].join(', ');
  const where =
    ci === 'github'
      ? 'GitHub: Settings, Secrets and variables, Actions'
      : 'GitLab: Settings, CI/CD, Variables';
  lines.push(
    '  git add -A && git commit -m "Our site" && git push',
    `  ${where}:`,
    `    ${ci === 'github' ? 'secrets  ' : 'masked   '} ${named}`,
    `    variables ${['DEPLOY_TO', ...variables].join(', ')}; DEPLOY_TO is ${host}`,
  );
  if (ci === 'gitlab') lines.push('  GitLab: Build, Pipeline schedules: one for every night');
  lines.push('  docs/hosting.md says where to get each of them.');
  return lines;
}
