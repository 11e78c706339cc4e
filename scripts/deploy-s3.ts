import path from 'node:path';
import { deploySettings, surroundings } from '../src/config/load.ts';
import { deployToS3 } from '../src/deploy/s3.ts';
import { EXIT } from '../src/errors.ts';
import { bytesText, createConsole } from '../src/terminal/progress.ts';
import { runCommand } from './cli.ts';

const usage = `
Brings the built site into a bucket of any S3 host: sends what changed, pictures first and pages
last, and removes what an earlier deploy sent and the site has no more. Other files are left alone.

npm run deploy:s3 -- [options]
  --folder DIR   the built site; default _site
  --quiet        only errors

From the environment: S3_BUCKET, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY; where they differ from
Amazon's in us-east-1 also S3_ENDPOINT and S3_REGION; S3_PREFIX for a folder in the bucket.
Exit codes: 0 deployed, 2 settings, 3 refused, 4 unreachable, 5 not a finished site.
`;

await runCommand(
  {
    usage,
    options: { folder: { type: 'string', default: '_site' }, quiet: { type: 'boolean' } },
  },
  async ({ values }, signal) => {
    const console_ = createConsole({
      stream: process.stdout,
      quiet: values.quiet === true,
      githubActions: surroundings().githubActions,
    });
    const { uploaded, unchanged, removed, bytes } = await deployToS3({
      folder: path.resolve(values.folder),
      settings: deploySettings('s3'),
      signal,
      onProgress: ({ done, total }) =>
        console_.progress(`Files: ${done} of ${total}`, total > 0 ? done / total : 1),
    });
    console_.finish();
    console_.line(
      `Deployed: ${uploaded} files sent (${bytesText(bytes)}), ${unchanged} unchanged, ${removed} removed.`,
    );
    return EXIT.published;
  },
);
