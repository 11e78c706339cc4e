import { describe, expect, it } from 'vitest';
import { bytesText, createConsole, timeText } from '../../../src/lib/terminal/progress.ts';

function recorder(isTTY: boolean) {
  const written: string[] = [];
  let time = 0;
  const stream = { write: (text: string) => written.push(text) > 0, isTTY, columns: 40 };
  const console = createConsole({ stream, now: () => time });
  return {
    written,
    console,
    tick(milliseconds: number) {
      time += milliseconds;
    },
    /** Reports progress every 100 ms for the given seconds. */
    run(seconds: number) {
      for (let step = 0; step < seconds * 10; step++) {
        time += 100;
        console.progress(`Pictures: ${step}`);
      }
    },
  };
}

describe('progress', () => {
  it('is one plain line every few seconds without a terminal', () => {
    const { written, run } = recorder(false);
    run(21);
    expect(written).toHaveLength(4);
    expect(written.every((text) => /^Pictures: \d+\n$/.test(text))).toBe(true);
  });

  it('is drawn over one line on a terminal and cleared at the end', () => {
    const { written, console, run } = recorder(true);
    run(1);
    console.finish();
    expect(written.join('')).not.toContain('\n');
    expect(written.at(-1)).toBe('\r\u001b[K');
  });
});

describe('a bar', () => {
  it.each([
    [0, '[..........]   0 %'],
    [0.499, '[####......]  49 %'],
    [1, '[##########] 100 %'],
    [1.2, '[##########] 100 %'],
  ])('of %d is %s on a terminal', (share, bar) => {
    const { written, console } = recorder(true);
    console.progress('Pictures', share);
    expect(written.at(-1)).toBe(`${bar}  Pictures`);
  });

  it('is omitted without a terminal and never longer than the line', () => {
    const plain = recorder(false);
    plain.tick(6000);
    plain.console.progress('Pictures', 0.5);
    expect(plain.written).toEqual(['Pictures\n']);
    const drawn = recorder(true);
    drawn.console.progress('A text that is longer than what is left of forty', 0.5);
    expect(drawn.written.at(-1)).toHaveLength(39);
  });
});

describe('figures', () => {
  it.each([
    [999, '999 B'],
    [1_000, '1.0 kB'],
    [123_456_789, '123 MB'],
    [5e15, '5000 TB'],
  ])('%i bytes', (bytes, text) => {
    expect(bytesText(bytes)).toBe(text);
  });

  it.each([
    [900, '0.9 s'],
    [59_000, '59 s'],
    [95_000, '1 min 35 s'],
    [119_600, '2 min 0 s'],
  ])('%i milliseconds', (ms, text) => {
    expect(timeText(ms)).toBe(text);
  });
});
