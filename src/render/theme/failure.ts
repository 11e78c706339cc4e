import path from 'node:path';
import { AppError, ConfigError, type ErrorDetails, printable } from '../../errors.ts';
import { placeOf } from './error-location.ts';

/** What Nunjucks puts before a reason: the templates that were being rendered. */
const TRAIL =
  /^(?:\(.*\)(?: \[Line \d+(?:, Column \d+)?\])?\s*|\s+|(?:Template render error|\w*Error): )+/;

/** The errors that one was made from, the first of them last. */
function* trail(error: unknown): Iterable<Error> {
  if (!(error instanceof Error)) return;
  yield error;
  yield* trail((error as { originalError?: unknown }).originalError ?? error.cause);
}

/** A file as messages name it. */
export const shown = (file: string): string => {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith('..') ? file : relative;
};

const hint = (reason: string): string => {
  if (reason.endsWith('has no value')) {
    return 'The name is misspelled, or not of this page: docs/view-models.md lists the names; {% if name %} asks whether one has a value.';
  }
  if (reason.startsWith('template not found')) {
    return 'Check the path: it begins with layouts/, partials/ or pages/.';
  }
  return 'Correct the template there; docs/theming.md says what templates can use.';
};

/** Pages that could not be rendered, as an error that names file and line. */
export function renderError(cause: unknown, themeFolder: string | undefined): AppError {
  const errors = [...trail(cause)];
  const place = errors.map(placeOf).find((found) => found !== undefined);
  const reason = place?.reason ?? (errors.at(-1)?.message ?? String(cause)).replace(TRAIL, '');
  if (!place) {
    return new AppError({
      code: 'render-failed',
      what: 'The pages could not be rendered.',
      why: reason,
      fix: 'Check the templates that were changed last; --debug shows where.',
      cause,
    });
  }
  const { file, line, usedIn = [] } = place;
  const telling: ErrorDetails = {
    code: 'template-failed',
    what: `The template ${shown(file)} cannot be rendered${line === undefined ? '' : `: line ${line}`}.`,
    why: [reason, ...usedIn.map((use) => `used in ${shown(use.file)}, line ${use.line}`)].join(
      ', ',
    ),
    fix: hint(reason),
    cause,
  };
  const themes = [file, ...usedIn.map((use) => use.file)].some(
    (one) => themeFolder !== undefined && one.startsWith(`${themeFolder}${path.sep}`),
  );
  return themes ? new ConfigError(telling) : new AppError(telling);
}

/** A file of a theme that has no effect: most likely its name is misspelled. */
export const nothingUses = (file: string, why: string, fix: string): ConfigError =>
  new ConfigError({
    code: 'theme-file-unused',
    what: `Nothing uses the theme's file ${printable(file)}.`,
    why,
    fix,
  });

/** A part of a theme's file that has no effect. */
export const nothingShows = (what: string, file: string, why: string, fix: string): ConfigError =>
  new ConfigError({
    code: 'theme-text-unused',
    what: `Nothing shows ${what} of the theme's file ${printable(file)}.`,
    why,
    fix,
  });
