import { type CompletionOptions, functionName, type Offer, type Place, quoted } from './words.ts';

function offer(value: Offer): string {
  if (value === 'file') return 'compgen -f -- "$cur"';
  if (value === 'folder') return 'compgen -d -- "$cur"';
  return `compgen -W ${quoted((value ?? []).join(' '))} -- "$cur"`;
}

function placeCase({ path, commands, options, words }: Place): string {
  const values = options.filter(({ takesValue }) => takesValue);
  const known = values
    .filter(({ value }) => value !== undefined)
    .map(({ flag, value }) => `      ${flag}) ${offer(value)}; return ;;`);
  const free = values.filter(({ value }) => value === undefined).map(({ flag }) => flag);
  if (free.length > 0) known.push(`      ${free.join('|')}) return ;;`);
  const names = commands.length > 0 ? commands.map(({ name }) => name) : options.map((o) => o.flag);
  return [
    `    ${path === '' ? "''" : `${quoted(`${path} `)}*`})`,
    ...(known.length > 0 ? ['    case "$prev" in', ...known, '    esac'] : []),
    ...(words === undefined ? [] : [`    [[ $cur == -* ]] || { ${offer(words)}; return; }`]),
    `    ${offer(names)} ;;`,
  ].join('\n');
}

/** Completion for bash, to be sourced. */
export function bashScript(
  places: readonly Place[],
  { program, before = [], separator }: CompletionOptions,
): string {
  const name = functionName(program);
  return `# Completion of ${program} for bash: source it, or put it into a file that .bashrc sources.
${name}_words() {
  local cur="$1" prev="$2" trail="$3" IFS=$' \\t\\n'
  case "$trail" in
${places.map(placeCase).join('\n')}
  esac
}

${name}() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" trail='' word i
  local own=${separator === undefined ? 1 : 0}
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$word" in
${separator === undefined ? '' : `      ${separator}) own=1 ;;\n`}${before.length === 0 ? '' : `      ${before.join('|')}) [[ -z $trail ]] || trail+="$word " ;;\n`}      -*) ;;
      *) trail+="$word " ;;
    esac
  done
  COMPREPLY=()
  if ((own)); then
    local IFS=$'\\n'
    COMPREPLY=($(${name}_words "$cur" "$prev" "$trail"))
  elif declare -F _${program}_completion >/dev/null; then
    _${program}_completion
  fi
}

complete -o filenames -F ${name} ${program}
`;
}
