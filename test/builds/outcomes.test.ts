import { it } from 'vitest';
import { sharedFirstNight } from '../support/later-night.ts';
import { ROWS } from '../support/outcome-rows.ts';
import { liveOnKnownDisks } from '../support/outcomes.ts';

const first = await sharedFirstNight();

it.each(ROWS)('$name → exit $exitCode, with any stored state on the disk', (row) =>
  liveOnKnownDisks(first, row),
);
