import { DEFAULT_REPORT } from '../report/report.ts';
import { DEFAULT_STORE } from '../store/location.ts';

const COMMON_HELP = `  --config FILE     the configuration                  (site.config.ts)
  --store FILE      the history                        (${DEFAULT_STORE})
  --quiet           no summary; data, warnings and errors stay
  --debug           show where an error came from
  --help            this text
`;

export const HELP: Readonly<Record<string, string>> = {
  pull: `Usage: npm run batches -- pull [options]

Reads the batches of each configured account into the history.

  --account NAME    only this account
  --days N          days to ask for                    (the account's daysOfHistory)
  --dry-run         show what would change, keep nothing
${COMMON_HELP}
The key of each account comes from the environment variable that its apiKeyEnv names.
`,
  export: `Usage: npm run --silent batches -- export --format FORMAT [options]

Writes the history, or what changed in it: data on standard output, messages on standard error.

  --format F        csv, ndjson, parquet, xlsx or singer
  --profile P       generic, hubspot, salesforce or dataverse   (generic)
  --since S         last: what changed since the last export; or a moment, ISO 8601
  --pii MODE        full, hash or none                 (none)
  --output FILE     a file, readable by you alone; - for standard output
  --account NAME    only this account
  --history         every version instead of the present one of each batch
  --stream NAME     whose mark "--since last" moves    (made of the options above)
  --calling-code N  country code for hashing national telephone numbers, such as 44
  --force           replace a file that this program did not write
${COMMON_HELP}
--pii hash needs the environment variable BATCH_HASH_KEY.
`,
  report: `Usage: npm run batches -- report [options]

Writes a page of charts and tables: totals only, no recipient.

  --output DIR      folder of the page                 (${DEFAULT_REPORT})
  --account NAME    only this account
  --force           replace a page that this program did not write
${COMMON_HELP}`,
  status: `Usage: npm run batches -- status [options]

Shows accounts, last pull, rows, versions, holes and drift.

  --json            as JSON
  --check           read every row, and end with 1 where one is not as it was written
${COMMON_HELP}`,
  forget: `Usage: npm run --silent batches -- forget [options]

Erases persons from rows, versions and raw records. Each option may be given several times; the
value - reads values from standard input, one a line, so that they stand in no list of processes
and in no log.

  --email ADDRESS   everything that names this address
  --mobile NUMBER   everything that names this telephone number
  --batch ID        this batch
  --account NAME    with --batch: only in this account
  --drop-marks      forget who was erased (only when BATCH_HASH_KEY is lost)
${COMMON_HELP}
--email and --mobile need the environment variable BATCH_HASH_KEY.
`,
};

export const OVERVIEW = `Usage: npm run batches -- COMMAND [options]

Keeps the history of sent videos, for a CRM and for reporting. Commands:

  pull      read the batches of each account into the history
  export    write the history, or what changed, for a CRM or a warehouse
  report    write a page of charts and tables
  status    show what the history holds
  forget    erase a person

"npm run batches -- COMMAND --help" explains each.
`;
