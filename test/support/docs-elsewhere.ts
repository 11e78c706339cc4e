/** Commands of the documentation that the test of its commands skips, with reasons. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  // They install packages or run this test.
  'npm ci': 'installs from a registry, as does what follows',
  'npm create vehicle-media-site@latest my-site': 'is not released: npm run test:package runs it',
  'npm create': 'names the command without its folder',
  'npm run new': 'names the command without its folder',
  'npm run new -- ../my-site': 'installs packages: npm run test:package runs it',
  'cd ../my-site': 'enters that project: npm run test:package does',
  'npm pack ./dist --pack-destination ../my-eleventy-site/vendor':
    'needs an Eleventy project: npm run test:package runs it',
  'mkdir -p ../my-eleventy-site/vendor': 'needs an Eleventy project: npm run test:package runs it',
  'npm install ./vendor/vehicle-media-site-0.1.0.tgz':
    'needs an Eleventy project: npm run test:package runs it',
  'git remote add origin ITS-ADDRESS': 'needs a repository of one’s own',
  'git push --set-upstream origin HEAD:main': 'needs a repository of one’s own',
  'npm test': 'a lane of its own',
  'npm run test:builds': 'a lane of its own',
  'npm run test:browser': 'a lane of its own',
  'npm run test:proofs': 'is what runs this test',
  'npm run test:unit': 'is a part of npm test',
  'npm run test:watch': 'lasts, and is a part of npm test',
  'CHROMIUM_PATH=/usr/bin/chromium npm run test:browser':
    'is what runs this test; needs another browser',
  'npm start':
    'draws all pictures of the demo, for a minute; test/builds/commands.test.ts runs it with one vehicle',
  'npm run dev -- --sample':
    'draws all pictures of the demo, for a minute; npm run dev is run here, test/browser/dev.test.ts looks at it',
  'git apply': 'needs its change: test/proofs/recipes.test.ts walks through it',
  'npx vitest run test/unit/videos/streamable.test.ts':
    'needs its change: test/proofs/recipes.test.ts walks through it',
  'npx vitest run test/unit/batches/pipedrive.test.ts':
    'needs its change: test/proofs/recipes.test.ts walks through it',
  'npm run deploy -- --to bunny --folder .demo/site --no-check':
    'needs its change: test/proofs/recipes.test.ts walks through it',
  'cp src/site/i18n/nl.json src/site/i18n/sv.json':
    'needs its change: test/proofs/recipes.test.ts walks through it',
  // They need a user or an external service.
  'npm run init': 'asks in a terminal; with flags it is run here before all others',
  'npm run init -- --force': 'overwrites; test/integration/init.test.ts runs it with flags',
  'npm run init -- --history-only --service https://media.example --account "northgate=C-1001/1"':
    'needs a new folder; test/integration/init-history.test.ts runs it with the sample service',
  'gh api repos/OWNER/REPOSITORY/dispatches -f event_type=rebuild': 'needs GitHub and a login',
  'sf data upsert bulk --sobject Batch__c --file .batches/exports/new.csv --external-id Batch_Key__c --line-ending CRLF --wait 30':
    'needs Salesforce and a login',
  '.github/keep-history.sh': 'needs age and a bucket',
  'npm run worker': 'needs a queue: npm run test:queue runs it',
  'npm run worker -- --cache DIR': 'needs a queue: npm run test:queue runs it',
  'QUEUE_URL=rediss://user:password@queue.example:6379  STORE_URL=https://s3.eu-west-1.amazonaws.com/my-bucket/site  AWS_REGION=eu-west-1 AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=…  npm run build':
    'needs a queue and a store: npm run test:s3 runs it',
  // They take long, or they measure time and must run separately.
  'npm run check': 'is the first step of CI, and takes as long as all of this',
  'npm run test:lighthouse': 'a lane of its own: it measures time',
  'npm run test:package': 'a lane of its own: it installs packages',
  'npm run test:first-day': 'a lane of its own: it installs packages',
  'npx vitest run test/unit/config/crawl.test.ts':
    'is of a recipe: test/proofs/recipes.test.ts follows it',
  'npm install bullmq ioredis': 'installs from a registry: npm run test:container does',
  'npm run test:container': 'a lane of its own: it builds an image',
  'docker build -f node_modules/vehicle-media-site/Dockerfile -t our-site .':
    'builds an image: npm run test:container does',
  'docker build -f node_modules/vehicle-media-site/Dockerfile --target worker -t our-worker .':
    'builds an image: npm run test:container does',
  'docker run --rm --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges    -e MEDIA_API_KEY -e SITE_SECRET -v our-site:/data our-site build':
    'runs an image: npm run test:container does',
  'docker run --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges    -e QUEUE_URL -e STORE_URL -e AWS_ACCESS_KEY_ID -e AWS_SECRET_ACCESS_KEY our-worker':
    'runs an image: npm run test:container does',
  'npm run chaos': 'a lane of its own: minutes of random nights',
  'npm run chaos -- --from 777000 --seeds 500 --jobs 2':
    'a lane of its own: minutes of random nights',
  'npm run bench -- batches': 'measures for minutes',
  'npm run bench -- media': 'measures for minutes',
  'npm run bench -- dev': 'measures for minutes',
  'npm run bench -- pages': 'measures for minutes',
  'npm run bench -- nights': 'measures for minutes',
  'npm run bench -- search': 'measures for minutes',
  'npm run test:queue': 'a lane of its own: it needs Redis',
  'npm run test:s3': 'a lane of its own: it needs Ceph',
  'npm run build -- --config "sites/*.config.ts"':
    'needs several sites: test/builds/many-sites.test.ts builds them',
  'npm run build -- --config sites/northgate.config.ts --output _site/northgate':
    'needs several sites: test/builds/many-sites.test.ts builds them',
  'npm run deploy -- --folder _site/northgate':
    'needs several sites and a host: test/integration/deploy/ deploys folders',
  'npm run docs -- --serve': 'lasts; test/browser/documentation.test.ts builds and opens the site',
  'npm run english -- --lower': 'writes limits of the check',
  'npm run screenshots': 'takes a screenshot; test/browser/ opens the same pages',
  'npm run batches -- export --format parquet --pii hash --since last --output s3://our-warehouse/batches':
    'needs a bucket; test/s3/batches.test.ts exports to one',
  'npm run deploy:s3': 'needs a bucket; test/s3/deploy.test.ts deploys to one',
  'npm run deploy -- --rollback': 'needs two nights: npm run test:first-day lives them',
  // They mention a command.
  'npm run': 'speaks of npm itself',
  'npm run --silent': 'speaks of npm itself',
  'npx …': 'speaks of npm itself',
  'npm run chaos -- --seed N': 'N stands for a number',
  'npm run batches': 'a command with no subcommand; test/integration/command-lines.test.ts runs it',
};
