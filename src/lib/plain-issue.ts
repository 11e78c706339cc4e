import type { z } from 'zod';

/** Types in the words of users. Other types have the same name. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const typeName = (type: string): string => TYPES[type] ?? type;

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return typeName('array');
  return typeof value === 'boolean' || value === null ? String(value) : typeName(typeof value);
}

/** A limit of a number, or of the size of a text or list. */
function limitText(origin: string, limit: string): string {
  if (origin === 'string') return `must have ${limit} characters`;
  return origin === 'array' ? `must have ${limit} entries` : `must be ${limit}`;
}

const oneOf = (values: readonly unknown[]): string =>
  `must be ${values.map((value) => JSON.stringify(value)).join(' or ')}`;

/** The text of a problem that has none in its schema. It never contains a value. */
function plainIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return `is missing (${typeName(issue.expected)})`;
      return issue.expected === 'int'
        ? `must be ${typeName('int')}`
        : `must be ${typeName(issue.expected)}, not ${typeOf(issue.input)}`;
    case 'invalid_value':
      return oneOf(issue.values);
    case 'invalid_union':
      return issue.inclusive !== false && issue.options ? oneOf(issue.options) : 'has another form';
    case 'too_small':
      return issue.minimum === 1 && issue.origin !== 'number'
        ? 'must not be empty'
        : limitText(issue.origin, `at least ${issue.minimum}`);
    case 'too_big':
      return limitText(issue.origin, `at most ${issue.maximum}`);
    case 'unrecognized_keys':
      return `has unknown names: ${issue.keys.join(', ')}`;
    case 'invalid_format':
      return `is not a valid ${issue.format}`;
    default:
      return 'is not accepted';
  }
}

/** For zod's parsers of user files and responses: the problems are in plain English, to be read after a path. */
export const PLAIN = { error: plainIssue };
