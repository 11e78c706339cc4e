import { rmSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

/** Removes what it is given, for `removeFolder`. */
for (const file of workerData as string[]) {
  rmSync(file, { recursive: true, force: true, maxRetries: 10 });
}
