import { Worker } from 'node:worker_threads';

/** Longest time of one test file with a mutant, in milliseconds; without one it is below a second. */
const DEADLINE = 60_000;

/** Runs in a thread of its own, so it acts while the tests' thread never comes to rest. */
const WATCH = `
const { appendFileSync } = require('node:fs');
const { parentPort } = require('node:worker_threads');
let timer;
parentPort.on('message', (given) => {
  clearTimeout(timer);
  if (!given) return;
  timer = setTimeout(() => {
    appendFileSync(given.results, given.line);
    process.kill(process.pid, 'SIGKILL');
  }, ${DEADLINE});
});
`;

let thread: Worker | undefined;

/** Ends this process when {@link endDeadline} is not called in time, and notes that as the result. */
export function startDeadline(results: string, line: string): void {
  thread ??= new Worker(WATCH, { eval: true, execArgv: [] });
  thread.unref();
  thread.postMessage({ results, line });
}

export function endDeadline(): void {
  thread?.postMessage(undefined);
}
