import { entry, NOTHING } from './entry.ts';

const MERGE = 'Bring the change into your file by hand, then run: npm run upgrade -- --merged';

/** What is said of a project that was made for an earlier version. */
export const UPGRADE = {
  'setting-renamed': entry(
    'warning',
    'The configuration uses the former name of a setting.',
    (a: {
      path: string;
      became: string;
      until: string;
      works: boolean;
      why?: string;
      line?: number;
    }) => ({
      what: `${a.path} ${a.became}.`,
      why: a.works
        ? `The former name works until version ${a.until}.`
        : `The former name has no effect from version ${a.until} on, and stops a build.`,
      fix:
        a.why === undefined
          ? 'Run: npm run upgrade -- --write'
          : `Change it by hand${a.line === undefined ? '' : `, line ${a.line}`}: ${a.why}.`,
    }),
  ),
  'template-name-renamed': entry(
    'warning',
    'A template of the theme uses a former name.',
    (a: {
      file: string;
      line: number;
      name: string;
      became: string;
      until: string;
      works: boolean;
    }) => ({
      what: `${a.file}, line ${a.line}: ${a.name} ${a.became}.`,
      why: a.works
        ? `The former name works until version ${a.until}.`
        : 'The former name has no value any more; a build stops there.',
      fix: 'Write the new name there; docs/view-models.md lists all names.',
    }),
  ),
  'original-changed': entry(
    'warning',
    'A file of the theme takes the place of one of ours that changed since it was copied.',
    (a: {
      file: string;
      state: 'clean' | 'conflict' | 'gone' | 'unmerged';
      diff: string;
      became?: string;
      /** Name of our file that has taken the place of the original. */
      to?: string;
    }) => ({
      what: `${a.file}: the original changed since it was copied.${a.diff === '' ? '' : `\n${a.diff}`}`,
      why:
        a.state === 'conflict'
          ? 'What changed there is what you changed, too: both stand between the marks above, with the former original between them.'
          : a.state === 'gone'
            ? (a.became ?? 'There is no such original any more.')
            : 'Your file wins, so what was mended or added there is not on your pages.',
      fix:
        a.state === 'clean'
          ? 'Run: npm run upgrade -- --write'
          : a.state === 'gone'
            ? a.to === undefined
              ? 'Take the file out of the theme, or see in CHANGELOG.md what took its place.'
              : `Rename your file to ${a.to}.`
            : `${MERGE} ${a.file}`,
    }),
  ),
  'original-unknown': entry(
    'warning',
    'A file of the theme takes the place of one of ours, and nobody noted what that looked like.',
    (a: { file: string }) => ({
      what: `${a.file} takes the place of one of ours, of a version that nobody noted.`,
      why: 'Without that, an update cannot say what changed in the original.',
      fix: `Compare the two once; then run: npm run upgrade -- --merged ${a.file}`,
    }),
  ),
  upgraded: entry('info', 'npm run upgrade wrote a file.', (a: { what: string }) => ({
    what: `Written: ${a.what}.`,
    why: 'An update had changed what it goes by.',
    fix: NOTHING,
  })),
};
