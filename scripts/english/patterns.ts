/** Habits that make a text read like a translation, each with the advice that CONTRIBUTING.md explains. */
export const PATTERNS: Readonly<Record<string, { pattern: RegExp; advice: string }>> = {
  what: { pattern: /\bwhat(ever)?\b(?! to do\b)/gi, advice: 'Name the thing.' },
  where: {
    pattern: /\bwhere (an?|the|it|that|this|there|one|no|none|nothing|nobody|they|we|you|your)\b/gi,
    advice: 'Write "if" or "when" for a condition.',
  },
  saying: {
    pattern: /\b(says?|said|told|tells?|speaks?|believ\w+|remember\w*|forg[eo]t\w*)\b/gi,
    advice: 'Programs report, return, trust and store.',
  },
  posture: {
    pattern: /\b(lies?|lay|stands?|stood)\b/gi,
    advice: 'Write "is", or delete the verb.',
  },
  nobody: {
    pattern: /\b(nobody|somebody|anybody|whoever|a person)\b/gi,
    advice: 'Name the role: you, the visitor, the caller.',
  },
  'is-no': {
    pattern: /(?<!\bthere )\b(is|are|was|were) (no|none|nobody's)\b(?! (longer|more)\b)/gi,
    advice: 'Write "is not a".',
  },
  those: {
    pattern: /\b(those (of|that|which)|that (of|which)|ones? (that|which))\b/gi,
    advice: 'Repeat the noun.',
  },
  own: {
    pattern: /\bof (its|one's|your|their|our|somebody's) own\b|\b(ours|theirs)\b/gi,
    advice: 'Write "custom", "separate" or "built-in".',
  },
  adverbs: {
    pattern:
      /\b(else|besides|anew|alone|for ever|all the same|by itself|likewise)\b(?! if\b)|, too\b/gi,
    advice: 'Write "otherwise", "also", "again", "only" or "anyway".',
  },
  semicolons: { pattern: /; /g, advice: 'Write two sentences.' },
};
