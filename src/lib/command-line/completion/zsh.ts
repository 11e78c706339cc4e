import { type CompletionOptions, functionName, type Offer, type Place, quoted } from './words.ts';

function offer(value: Offer): string {
  if (value === 'file') return '_files';
  if (value === 'folder') return '_files -/';
  return value === undefined ? '_message value' : `compadd -- ${value.map(quoted).join(' ')}`;
}

const described = (name: string, help: string): string =>
  quoted(`${name.replaceAll(':', '\\:')}:${help.replaceAll(':', '\\:')}`);

function placeCase({ path, commands, options, words }: Place): string {
  const values = options.filter(({ takesValue }) => takesValue);
  const names =
    commands.length > 0
      ? commands.map(({ name, help }) => described(name, help))
      : options.map(({ flag, help }) => described(flag, help));
  return [
    `    ${path === '' ? "''" : `${quoted(`${path} `)}*`})`,
    ...(values.length > 0
      ? [
          '    case "$prev" in',
          ...values.map(({ flag, value }) => `      ${flag}) ${offer(value)}; return ;;`),
          '    esac',
        ]
      : []),
    ...(words === undefined ? [] : [`    [[ $PREFIX == -* ]] || { ${offer(words)}; return }`]),
    `    offers=(${names.join(' ')})`,
    `    _describe ${commands.length > 0 ? 'command' : 'option'} offers ;;`,
  ].join('\n');
}

/** Completion for zsh, to be sourced after `compinit`. */
export function zshScript(
  places: readonly Place[],
  { program, before = [], separator }: CompletionOptions,
): string {
  const name = functionName(program);
  return `#compdef ${program}
# Completion of ${program} for zsh: source it after compinit.
${name}() {
  local prev="\${words[CURRENT-1]}" trail='' word own=${separator === undefined ? 1 : 0}
  local -a offers
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$word" in
${separator === undefined ? '' : `      ${separator}) own=1 ;;\n`}${before.length === 0 ? '' : `      ${before.join('|')}) [[ -z $trail ]] || trail+="$word " ;;\n`}      -*) ;;
      *) trail+="$word " ;;
    esac
  done
  if ((! own)); then
    (( $+functions[_${program}_completion] )) && _${program}_completion
    return
  fi
  case "$trail" in
${places.map(placeCase).join('\n')}
  esac
}

compdef ${name} ${program}
`;
}
