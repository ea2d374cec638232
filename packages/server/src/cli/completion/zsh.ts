import { quoted, type CommandWords, type OptionWords } from "./word-tree.ts";

export function zshScript(commands: readonly CommandWords[]): string {
  return `#compdef postdate
# Completions of postdate for zsh. In ~/.zshrc: eval "$(postdate completion zsh)"
_postdate() {
  local at= named= before=\${words[CURRENT-1]} i
  local -a commands options
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
      (${commands
        .slice(1)
        .map(({ path }) => quoted(path))
        .join(" | ")}) at="$at \${words[i]}" ;;
    esac
  done
  if [[ \${words[CURRENT]} == --*=* ]]; then
    before=\${words[CURRENT]%%=*}
    compset -P '*='
  fi
  case "$at $before" in
${commands.flatMap(valueCases).join("\n")}
  esac
  case "$at" in
${commands.map(wordCase).join("\n")}
  esac
  if [[ -n $named && \${words[CURRENT]} != -* ]]; then
    commands=(\${(f)"$($words[1] offer $named -- "\${(@Q)words[2,CURRENT-1]}" 2>/dev/null)"})
  fi
  if [[ \${words[CURRENT]} != -* ]] && (( $#commands )); then
    _describe -t commands command commands
  else
    _describe -t options option options
  fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
if [[ $funcstack[1] == _postdate ]]; then _postdate "$@"; else compdef _postdate postdate; fi
`;
}

function valueCases({ path, options }: CommandWords): string[] {
  return options.flatMap((option) => {
    if (option.value === null) return [];
    const pattern = option.names.map((name) => quoted(`${path} ${name}`)).join(" | ");
    return [`    (${pattern}) ${valueCommand(option, option.value)}; return ;;`];
  });
}

function valueCommand(
  { description }: OptionWords,
  value: NonNullable<OptionWords["value"]>,
): string {
  if (value.kind === "files") return "_files";
  if (value.kind === "words") return `compadd -- ${value.words.map(quoted).join(" ")}`;
  if (value.kind === "nothing") return `_message ${quoted(description)}`;
  return `compadd -- \${(f)"$($words[1] offer ${value.kind} -- "\${(@Q)words[2,CURRENT-1]}" 2>/dev/null)"}`;
}

function wordCase(command: CommandWords): string {
  const { path, commands, argumentWords, options, takesId } = command;
  const described = [
    ...commands.map(({ name, description }) => entry(name, description)),
    ...argumentWords.map(quoted),
  ];
  const flags = options.flatMap(({ names, description }) =>
    names.map((name) => entry(name, description)),
  );
  return `    (${quoted(path)}) commands=(${described.join(" ")})
      options=(${flags.join(" ")})${takesId === null ? "" : ` named=${takesId}`} ;;`;
}

/** The first colon without a backslash ends the word. */
function entry(word: string, description: string): string {
  return quoted(`${word.replaceAll(":", String.raw`\:`)}:${description}`);
}
