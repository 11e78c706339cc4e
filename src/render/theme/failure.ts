import path from 'node:path';
import { AppError, ConfigError, type ErrorDetails, printable } from '../../errors.ts';

/** A place in a template. */
export interface Place {
  /** Absolute. */
  file: string;
  /** From 1. Undefined if it is unknown. */
  line?: number;
}

/** An error in a template, with its place. Nunjucks passes it on unchanged because it has `lineno` and `Update`. */
export class TemplateFailure extends Error {
  readonly lineno = 1;
  readonly place: Place;
  /** Where other templates include this one, or call its macro. The innermost is first. */
  readonly usedIn: Place[];

  constructor(reason: string, place: Place, cause?: unknown, usedIn: Place[] = []) {
    super(reason, { cause });
    this.place = place;
    this.usedIn = usedIn;
  }

  Update(): this {
    return this;
  }
}

/** The error of a template, with its place. If another template failed, `place` is where it is used. */
export function failureAt(error: unknown, place: Place, before = ''): TemplateFailure {
  if (!(error instanceof TemplateFailure)) {
    return new TemplateFailure(before + (error as Error).message, place, error);
  }
  const { usedIn } = error;
  if ((usedIn.at(-1) ?? error.place).file !== place.file) usedIn.push(place);
  return error;
}

/** A file for messages, relative to the working folder if it is in it. */
export const shownPath = (file: string): string => {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith('..') ? file : relative;
};

const HINTS: readonly [reason: RegExp, hint: string][] = [
  [
    /has no value$/,
    'The name is misspelled, or this page does not have it: docs/view-models.md lists the names. {% if name %} tests whether a name has a value.',
  ],
  [
    /^template (?:not found|names must be)/,
    'Check the path: it is in quotes and begins with layouts/, partials/ or pages/.',
  ],
  [
    /^it includes itself/,
    'A file of a theme replaces the default one of the same name. Start from a copy of it, for example: npm run theme -- copy partials/header.njk.',
  ],
  [/^unknown block tag: e(?:nd|lse|lif)/, 'A tag above is not closed, such as "for" by "endfor".'],
  [
    /^(?:filter not found|unknown block tag)/,
    'Templates of a theme have the filters and tags of Nunjucks. Filters and shortcodes of eleventy.config.js work only in pages/.',
  ],
  [/(?:)/, 'Correct the template. docs/theming.md#templates explains templates.'],
];

/** The error for a page that could not be rendered, with file and line. */
export function renderError(error: unknown, template: string, themeFolder?: string): AppError {
  const cause = error instanceof TemplateFailure ? error : failureAt(error, { file: template });
  const { message, place, usedIn } = cause;
  const { file, line } = place;
  const details: ErrorDetails = {
    code: 'template-failed',
    what: `The template ${shownPath(file)} cannot be rendered${line === undefined ? '' : `: line ${line}`}.`,
    why: [message, ...usedIn.map((use) => `used in ${shownPath(use.file)}, line ${use.line}`)].join(
      ', ',
    ),
    fix: HINTS.find(([reason]) => reason.test(message))?.[1],
    cause,
  };
  const isInTheme = [place, ...usedIn].some(
    ({ file }) => themeFolder !== undefined && file.startsWith(themeFolder + path.sep),
  );
  return isInTheme ? new ConfigError(details) : new AppError(details);
}

/** The error for a file of a theme that has no effect. Most likely its name is misspelled. */
export const unusedFile = (file: string, why: string, fix: string): ConfigError =>
  new ConfigError({
    code: 'theme-file-unused',
    what: `Nothing uses the theme's file ${printable(file)}.`,
    why,
    fix,
  });
