/** Commands of the documentation that the test of its commands skips, by reason. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  'It is a lane of CI, or a part of one.': [
    ...['npm test', 'npm run test:builds', 'npm run test:browser', 'npm run test:proofs'],
    ...['npm run test:unit', 'npm run test:watch', 'npm run test:lighthouse'],
    ...['npm run test:package', 'npm run test:first-day', 'npm run test:container'],
    ...['npm run test:queue', 'npm run test:s3', 'npm run check', 'npm run english'],
    ...['npm run chaos', 'npm run chaos -- --from 777000 --seeds 500 --jobs 2'],
  ],
  'It runs a test with another browser.': ['CHROMIUM_PATH=/usr/bin/chromium npm run test:browser'],
  'It installs packages: npm run test:package runs it.': [
    ...['npm ci', 'npm create vehicle-media-site@latest my-site', 'npm run new -- ../my-site'],
    ...['cd ../my-site', 'mkdir -p ../my-eleventy-site/vendor', 'npm run package'],
    'npm pack ./dist --pack-destination ../my-eleventy-site/vendor',
    'npm install ./vendor/vehicle-media-site-0.1.0.tgz',
    'git diff --no-index --diff-filter=M node_modules/vehicle-media-site/templates theme',
  ],
  'It builds or runs an image: npm run test:container does.': [
    'npm install bullmq ioredis',
    'docker build -f node_modules/vehicle-media-site/Dockerfile -t our-site .',
    'docker build -f node_modules/vehicle-media-site/Dockerfile --target worker -t our-worker .',
    'docker run --rm --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges    -e MEDIA_API_KEY -e SITE_SECRET -v our-site:/data our-site build',
    'docker run --stop-timeout 60 --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges    -e QUEUE_URL -e STORE_URL -e AWS_ACCESS_KEY_ID -e AWS_SECRET_ACCESS_KEY our-worker',
  ],
  'It needs a repository, a service or a login of the user.': [
    ...[
      'git remote add origin ITS-ADDRESS',
      'git push --set-upstream origin HEAD:main',
      'git pull',
    ],
    'rsync -rc --delay-updates --delete-delay --exclude /.htaccess _site/ you@host.example:cars/',
    'gh api repos/OWNER/REPOSITORY/dispatches -f event_type=rebuild',
    'sf data upsert bulk --sobject Batch__c --file .batches/exports/new.csv --external-id Batch_Key__c --line-ending CRLF --wait 30',
    '.github/keep-history.sh',
    'sf org auth show-sfdx-auth-url',
  ],
  'It draws all pictures of the demo: test/builds/commands.test.ts runs npm start with one vehicle.':
    [...['npm start', 'npm run dev -- --sample']],
  'It needs its change: test/proofs/recipes.test.ts walks through it.': [
    'git apply',
    ...[
      'cp src/site/i18n/nl.json src/site/i18n/sv.json',
      'cp src/stock/values/nl.json src/stock/values/sv.json',
    ],
    'npm start -- --once --vehicles 2',
    'npx vitest run test/unit/videos/streamable.test.ts',
    'npx vitest run test/unit/batches/pipedrive.test.ts',
    'npx vitest run test/unit/config/crawl.test.ts',
    'npx vitest run test/unit/site/words.test.ts test/unit/stock/values.test.ts',
    'npx vitest run test/unit/publish/no-picture.test.ts test/unit/generated.test.ts',
    'npm run deploy -- --to bunny --folder .demo/site --no-check',
  ],
  'It asks in a terminal, overwrites or needs a new folder: test/integration/init*.test.ts run it.':
    [
      ...['npm run init', 'npm run init -- --force'],
      'npm run init -- --history-only --service https://media.example --account "northgate=C-1001/1"',
    ],
  'It needs a queue, a store or a bucket: npm run test:queue and npm run test:s3 run it.': [
    ...['npm run worker', 'npm run worker -- --cache DIR'],
    'QUEUE_URL=rediss://user:password@queue.example:6379  STORE_URL=https://s3.eu-west-1.amazonaws.com/my-bucket/site  AWS_REGION=eu-west-1 AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=…  npm run build',
    'npm run batches -- export --format parquet --pii hash --since last --output s3://our-warehouse/batches',
  ],
  'It measures for minutes: test/proofs/benchmarks.test.ts measures tiny sizes.': [
    ...['npm run bench -- batches', 'npm run bench -- media', 'npm run bench -- dev'],
    ...['npm run bench -- pages', 'npm run bench -- nights', 'npm run bench -- search'],
  ],
  'It needs several sites: test/builds/many-sites.test.ts builds them.': [
    'npm run build -- --config "sites/*.config.ts"',
    'npm run build -- --config sites/northgate.config.ts --output _site/northgate',
    'DEPLOY_FOLDER=/srv/northgate npm run deploy -- --folder _site/northgate',
  ],
  'It needs two nights: npm run test:first-day lives them.': ['npm run deploy -- --rollback'],
  'test/browser/documentation.test.ts runs its script and opens the pages.': [
    ...['npm run docs', 'npm run docs -- --serve'],
  ],
  'It changes files of this repository.': ['npm run english -- --lower', 'npm run screenshots'],
  'It only mentions a command.': [
    ...['npm run', 'npm run --silent', 'npx …', 'npm create', 'npm run new', 'npm run batches'],
    'npm run chaos -- --seed N',
  ],
};

export const NOT_RUN: ReadonlySet<string> = new Set(Object.values(ELSEWHERE).flat());
