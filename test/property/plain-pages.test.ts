import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parsePage } from '../../src/publish/verify/inspect.ts';
import { readPlainPage } from '../../src/publish/verify/plain-page.ts';

const VOID = ['img', 'source', 'br', 'IMG', 'link', 'input'];
const NAMES =
  'a body button div h1 li main option p select span svg table td textarea title tr ul use'.split(
    ' ',
  );
const KEYS = 'href src srcset data-larger class type xlink:href viewBox poster id'.split(' ');
const VALUES = [
  ...[
    '',
    'x',
    '/a/',
    '/a?b&amp;c',
    '/ä',
    '/1.webp 160w, /2.webp 320w',
    'https://a.example/',
    '&quot;&gt;',
  ],
  ...[' mailto:a', '<b>', "'", '//x', '#1', '#i-ä', 'tel:&#39;1'],
];
const RARE = [
  ...[
    'java\tscript:1',
    '&#106;avascript:1',
    '&#x2f;a',
    'data:,x',
    '&',
    '&copy',
    '&copy;',
    '&nbsp;/x',
  ],
];
const TEXTS = ['', ' ', 'text', '&nbsp;', '&amp;', '\n', '>', '"', '\u2003', '–'];
const MARKUP = [
  ...[
    '<',
    '&',
    '<!--',
    '-->',
    '</',
    '<!doctype html>',
    '<script src="/x"></script>',
    '<![CDATA[',
    '</p>',
  ],
  ...['<script type="application/json">{"a":"&lt;"}</script>', '<style>', '<form>', '<svg><title>'],
];

const often = <T>(usual: readonly T[], rare: readonly T[], weight = 40) =>
  fc.oneof(
    { weight, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...rare) },
  );
const attribute = fc
  .tuple(often(KEYS, ['onclick', 'style', 'srcdoc']), often(VALUES, RARE), fc.nat({ max: 60 }))
  .map(([key, value, how]) => {
    if (how === 0) return ` ${key}`;
    if (how === 1) return ` ${key}='${value}'`;
    return how === 2 ? ` ${key}=${value}` : ` ${key}="${value}"`;
  });
const open = (names: readonly string[]) =>
  fc
    .tuple(
      fc.constantFrom(...names),
      fc.array(attribute, { maxLength: 3 }),
      often(['', ' '], ['/']),
    )
    .map(([name, attributes, end]) => ({ name, text: `<${name}${attributes.join('')}${end}>` }));

/** Mostly closed in order, like in templates. */
const { nodes } = fc.letrec<{ node: string; nodes: string }>((tie) => ({
  nodes: fc.array(tie('node'), { minLength: 1, maxLength: 4 }).map((all) => all.join('')),
  node: fc.oneof(
    { maxDepth: 4 },
    often(TEXTS, MARKUP),
    open(VOID).map(({ text }) => text),
    fc
      .tuple(open(NAMES), tie('nodes'), often([true], [false]))
      .map(([{ name, text }, inner, closes]) => `${text}${inner}${closes ? `</${name}>` : ''}`),
  ),
}));
const page = fc
  .tuple(nodes, nodes, nodes)
  .map(([before, inner, after]) => `<!doctype html>${before}<main>${inner}</main>${after}`);

it('a page is read like an HTML parser reads it, or rejected', () => {
  let read = 0;
  let linked = 0;
  fc.assert(
    fc.property(page, (html) => {
      const plain = readPlainPage(Buffer.from(html).toString('latin1'));
      if (!plain) return;
      const parsed = parsePage(html);
      expect(plain).toEqual(parsed);
      read++;
      if (plain.links.size > 0 && plain.hasText) linked++;
    }),
    { numRuns: 30_000 },
  );
  expect(read).toBeGreaterThan(1500);
  expect(linked).toBeGreaterThan(250);
});
