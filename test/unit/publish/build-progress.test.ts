import { expect, it, onTestFinished, vi } from 'vitest';
import { BuildProgress } from '../../../src/publish/report/build-progress.ts';

function shown(dealers: number) {
  const texts: string[] = [];
  const progress = new BuildProgress(
    {
      line: (text) => texts.push(`line ${text}`),
      warn: (text) => texts.push(`warn ${text}`),
      progress: (text) => texts.push(text),
      finish: () => {},
    },
    dealers,
  );
  return { texts, progress };
}

it('names the step and adds up the latest reports of its processes', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { texts, progress } = shown(5);
  progress.notify({ kind: 'fetch', text: 'North: 2 vehicles (held)' });
  progress.notify({ kind: 'restore', total: 10, done: 4, bytes: 2000 });
  const counts = { failed: 1, downloadedBytes: 0, outputsMade: 2, outputsMadeBytes: 0 };
  progress.notify({ kind: 'images', total: 6, done: 0, ...counts });
  vi.advanceTimersByTime(4000);
  progress.notify({ kind: 'images', total: 6, done: 2, ...counts });
  progress.notify({ kind: 'pages', rendered: 1, kept: 1 }, 1);
  progress.notify({ kind: 'pages', rendered: 3, kept: 2 }, 2);
  progress.notify({ kind: 'pages', rendered: 7, kept: 1 }, 1);
  progress.notify({ kind: 'publish' });
  const [fetch, restore, , images, ...others] = texts;
  expect(fetch).toBe('Fetch: 1 of 5 dealers, North: 2 vehicles (held)');
  expect(restore).toBe('Images: 4 of 10 thumbnails from the published site, 2.0 kB');
  expect(images).toBe('Images: 2 of 6, 1 failed, 8.0 s left, 0.5/s, 2 thumbnails, 0 B');
  expect(others).toEqual([
    'Pages: 1 made, 1 kept',
    'Pages: 4 made, 3 kept',
    'Pages: 10 made, 3 kept',
    'Publish',
  ]);
});

it('prints a line every few dealers', () => {
  const { texts, progress } = shown(4);
  progress.notify({ kind: 'fetch', text: 'North: 2 vehicles (held)' });
  progress.notify({ kind: 'warn', text: 'A problem.' }, 2);
  progress.notify({ kind: 'line', text: 'Waiting.' });
  expect(texts).toEqual(['line North: 2 vehicles (held)', 'warn A problem.', 'line Waiting.']);
});
