import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { changesLines, readChanges } from '../../../src/change-set/change-set.ts';
import { writeRecord } from '../../../src/record/file.ts';
import { recordOf } from '../../support/dealer-records.ts';

it('a record of one piece names no others', () => {
  const pieces = writeRecord(recordOf('A')).pieces.map(({ text }) => JSON.parse(text) as object);
  expect(pieces.map((piece) => Object.keys(piece))).toEqual([
    ['version', 'dealer', 'piece', 'lines', 'sum'],
  ]);
});

it('a change set without its last line is none', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'changes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const list = path.join(folder, 'changes.ndjson');
  const head = { site: 'https://cars.example', built: '2026-03-04T05:06:07.000Z', base: null };
  const lines = [...changesLines(head, [], { gone: [], changed: [] })];
  writeFileSync(list, lines.slice(0, -1).join(''));
  expect(await readChanges(list)).toBeUndefined();
  writeFileSync(list, lines.join(''));
  expect(await readChanges(list)).toBeDefined();
});
