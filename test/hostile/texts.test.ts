import { describe, expect, it } from 'vitest';
import { AppError, describeError, UnreachableError } from '../../src/errors.ts';
import { xmlText } from '../../src/lib/html.ts';
import { createConsole } from '../../src/lib/terminal/progress.ts';
import type { BuildReport } from '../../src/publish/report/report.ts';
import { summaryLines, summaryMarkdown } from '../../src/publish/report/summary.ts';
import { drivingCharacters, isCommand } from './corpus/driving.ts';
import { TEXTS } from './corpus/texts.ts';

const linesOf = (
  act: (console: ReturnType<typeof createConsole>) => void,
  githubActions = false,
) => {
  let out = '';
  const write = (text: string) => {
    out += text;
    return true;
  };
  act(createConsole({ stream: { write, isTTY: false, columns: 80 }, githubActions, interval: 0 }));
  return out.split('\n');
};

describe.each(TEXTS)('%s', (_what, text) => {
  it('is harmless in every field of an error', () => {
    for (const error of [
      new AppError({ code: 'x', what: text, why: text, fix: text }),
      new UnreachableError({ code: 'x', what: 'x', why: text }),
      new Error(text),
      text,
    ]) {
      for (const debug of [false, true]) {
        const described = describeError(error, { debug });
        expect(drivingCharacters(described)).toEqual([]);
        expect(described.split('\n').filter(isCommand)).toEqual([]);
      }
    }
  });

  it('is harmless in the output of a build and not a command for the CI', () => {
    const plain = linesOf((console) => {
      console.line(text);
      console.warn(text);
      console.progress(text);
    });
    expect(drivingCharacters(plain.join('\n'))).toEqual([]);
    expect(plain.filter(isCommand)).toEqual([]);
    const lines = linesOf((console) => console.warn(`${text}%0A`), true);
    const annotated = lines.filter((line) => line !== '');
    expect(annotated).toHaveLength(1);
    expect(annotated[0]).toMatch(/^::warning::.*%250A$/);
    expect(isCommand(annotated[0]?.slice('::warning::'.length) ?? '')).toBe(false);
  });

  it('is plain text in the Markdown of a job summary', () => {
    const report = {
      outcome: 'not-published',
      durationMs: 1,
      dealers: [],
      unmatchedEmbeds: { [text]: 1 },
      attention: [{ code: 'y', what: text, fix: text }],
      notes: [text],
      problem: { code: 'x', what: text, why: text, fix: text },
    } as unknown as BuildReport;
    const markdown = summaryMarkdown(report, '_site');
    expect(markdown).not.toMatch(/<|]\(|\n\| ---/);
    expect(drivingCharacters(summaryLines(report, '_site').join('\n'))).toEqual([]);
  });

  it('is plain text in a sitemap or feed', () => {
    const url = `https://cars.example/${encodeURIComponent(text.toWellFormed())}/?q=${text.includes('&') ? '&' : ''}<'">`;
    const xml = xmlText(`${url} ${text}`);
    expect(xml).not.toMatch(/[<>]/);
    expect(xml).not.toMatch(/&(?!amp;|lt;|gt;|quot;|#39;)/);
    expect(xml.includes('RecipientEmail')).toBe(text.includes('RecipientEmail'));
  });
});
