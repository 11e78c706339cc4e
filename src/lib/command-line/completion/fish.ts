import { type CompletionOptions, functionName, type Offer, type Place, quoted } from './words.ts';

function offer(value: Offer): string {
  if (value === 'file') return '__fish_complete_path $cur';
  if (value === 'folder') return '__fish_complete_directories $cur';
  return value === undefined ? 'true' : `printf '%s\\n' ${value.map(quoted).join(' ')}`;
}

function placeCase({ path, commands, options, words }: Place): string {
  const values = options.filter(({ takesValue }) => takesValue);
  const names =
    commands.length > 0 ? commands : options.map(({ flag, help }) => ({ name: flag, help }));
  return [
    `        case ${quoted(path === '' ? '' : `${path} *`)}`,
    ...(values.length > 0
      ? [
          '            switch $prev',
          ...values.map(
            ({ flag, value }) =>
              `                case ${flag}\n                    ${offer(value)}\n                    return`,
          ),
          '            end',
        ]
      : []),
    ...(words === undefined
      ? []
      : [`            string match -q -- '-*' $cur; or begin; ${offer(words)}; return; end`]),
    `            printf '%s\\t%s\\n' ${names.map(({ name, help }) => `${quoted(name)} ${quoted(help)}`).join(' ')}`,
  ].join('\n');
}

/**
 * Completion for fish, for a file in its `completions` folder or to be sourced. Options are offered as
 * words: fish offers no options after `--`.
 */
export function fishScript(
  places: readonly Place[],
  { program, before = [], separator }: CompletionOptions,
): string {
  const name = `_${functionName(program)}`;
  return `# Completion of ${program} for fish: put it into ~/.config/fish/completions/${program}.fish.
function ${name}_trail
    for word in (commandline -opc)[2..]
        switch $word
            case '-*'
            case ${before.map(quoted).join(' ') || "''"}
                set -q trail; and set -a trail $word
            case '*'
                set -a trail $word
        end
    end
    string join -- ' ' $trail ''
end

function ${name}_words
    set -l prev (commandline -opc)[-1]
    set -l cur (commandline -ct)
    switch (${name}_trail)
${places.map(placeCase).join('\n')}
    end
end

complete -c ${program} ${separator === undefined ? '' : `-n 'contains -- ${separator} (commandline -opc)' `}-f -a '(${name}_words)'
`;
}
