import { inspect } from 'node:util';
import { escapeHtml } from '../lib/html.ts';

/** Shorter values occur in ordinary text by chance. No real key is that short. */
const SHORTEST_SEARCHABLE = 6;

/** Base64 forms of a value, which depend on its offset in the encoded bytes: the stable middle of each. */
function base64Forms(value: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)]);
    const start = offset === 0 ? 0 : offset + 1;
    const end = Math.floor(bytes.length / 3) * 4;
    const form = bytes.toString('base64').slice(start, end);
    return form.length < 8 ? [] : [form, form.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Spellings of a text in addresses, forms, JSON and HTML. */
function textForms(text: string): string[] {
  const percent = encodeURIComponent(text);
  const json = JSON.stringify(text).slice(1, -1);
  return [
    text,
    percent,
    percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    new URLSearchParams({ v: text }).toString().slice(2),
    json,
    json.replaceAll('<', '\\u003c'),
    text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`),
    escapeHtml(text),
    // Nunjucks also escapes backslashes.
    escapeHtml(text).replaceAll('\\', '&#92;'),
  ];
}

/**
 * A value that must not be printed. Printing, string conversion and JSON all give `[secret]`. Only `reveal()`
 * returns the value, so a search of the code for `reveal` finds every use.
 */
export class Secret {
  readonly #value: string;
  #forms: readonly string[] | undefined;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  /**
   * Every spelling in which the value could occur: raw, in one letter case, without hyphens, percent-,
   * form-, JSON-, HTML-, base64- and hex-encoded. Empty for values that are too short to be searched.
   */
  forms(): readonly string[] {
    if (this.#forms) return this.#forms;
    const value = this.#value;
    const all = [
      // Identifiers are often written in one letter case, and the 8-4-4-4-12 form without hyphens.
      ...[value, value.toLowerCase(), value.toUpperCase(), value.replaceAll('-', '')].flatMap(
        textForms,
      ),
      ...base64Forms(value),
      Buffer.from(value).toString('hex'),
      Buffer.from(value).toString('hex').toUpperCase(),
    ];
    // Longest first, so that redacting one form never leaves a part of a longer one.
    const searchable = [...new Set(all)].filter((form) => form.length >= SHORTEST_SEARCHABLE);
    this.#forms =
      value.length < SHORTEST_SEARCHABLE ? [] : searchable.sort((a, b) => b.length - a.length);
    return this.#forms;
  }

  /** Whether `text` contains the value, in any of its {@link forms}. */
  occursIn(text: string): boolean {
    return this.forms().some((form) => text.includes(form));
  }

  /** `text` with every form of the value replaced by `[secret]`. */
  redact(text: string): string {
    return this.forms().reduce((result, form) => result.replaceAll(form, '[secret]'), text);
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}
