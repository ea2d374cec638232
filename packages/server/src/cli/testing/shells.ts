import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";

export type Shell = "bash" | "zsh" | "fish";

/** What a real shell offers at the end of each line, once it has read the script in this file. */
export async function offeredBy(
  shell: Shell,
  scriptFile: string,
  lines: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string[][]> {
  const argv = {
    bash: ["--norc", "-c", bash, "bash", scriptFile, ...lines.flatMap(countedBashWords)],
    zsh: ["-f", "-c", zsh, "zsh", scriptFile, ...lines],
    fish: ["--no-config", "-c", fish, scriptFile, ...lines],
  }[shell];
  const text = await output(shell, argv, env);
  return text.split("END-OF-OFFERS").slice(0, lines.length).map(wordsIn);
}

async function output(
  shell: Shell,
  argv: readonly string[],
  given: NodeJS.ProcessEnv,
): Promise<string> {
  const env = { ...given, TERM: "dumb", LC_ALL: "C.UTF-8" };
  return (await promisify(execFile)(shell, argv, { env })).stdout;
}

function wordsIn(text: string): string[] {
  const words = [...text.matchAll(/OFFER:([^\s]+)/g)].map(([, word]) => word!);
  // Fish offers --option=value for what the others call value.
  return [...new Set(words.map((word) => word.replace(/^--[\w-]+=/, "")))].toSorted();
}

export function isInstalled(shell: Shell): boolean {
  return spawnSync(shell, ["--version"]).status === 0;
}

/** The number of words, the line, and the words. Bash also breaks them at `=`. */
function countedBashWords(line: string): string[] {
  const words = line
    .split(" ")
    .flatMap((word) => word.split(/(=)/).filter((part) => part !== "" || word === ""));
  return [String(words.length), line, ...words];
}

const bash = `
source "$1"
shift
while (($# > 0)); do
  COMP_LINE=$2
  COMP_POINT=\${#COMP_LINE}
  COMP_WORDS=("\${@:3:$1}")
  COMP_CWORD=$(($1 - 1))
  COMPREPLY=()
  shift $(($1 + 2))
  _postdate
  printf 'OFFER:%s\\n' "\${COMPREPLY[@]}"
  echo END-OF-OFFERS
done
`;

const fish = `
source $argv[1]
for line in $argv[2..-1]
    for offer in (complete -C $line)
        echo OFFER:(string split \\t -- $offer)[1]
    end
    echo END-OF-OFFERS
end
`;

/**
 * Zsh completes only at a terminal, so it gets one, and a key that prints what the Tab key would show. What is typed
 * before its editor has the terminal is not always read by it, so the editor says when it has. The terminal repeats
 * what is typed: the quotes tell that from what is printed.
 */
const zsh = `
zmodload zsh/zpty || exit 3
zpty terminal zsh -f -i
zpty -w terminal 'stty columns 1000; PS1= ; autoload -Uz compinit; compinit -D -u'
zpty -w terminal "source \${(q)1}"
zpty -w terminal 'compadd() {
  typeset -a found
  if [[ " $* " == *\\ -[OAD]\\ * ]]; then builtin compadd "$@"; return; fi
  builtin compadd -A found "$@"
  builtin compadd "$@"
  print -rl -- OFF""ER:\${^found}
}'
zpty -w terminal 'offer() { _main_complete; compstate[insert]= compstate[list]=; print END""-OF-OFFERS }'
zpty -w terminal 'zle -C offer complete-word offer; bindkey "^T" offer'
zpty -w terminal 'zle-line-init() { print READY""-NOW }; zle -N zle-line-init'
while zpty -r terminal line && [[ $line != *READY-NOW* ]]; do :; done
shift
for typed in "$@"; do
  zpty -w -n terminal $'\\C-U'"$typed"$'\\C-T'
  while zpty -r terminal line; do
    print -r -- $line
    [[ $line == *END-OF-OFFERS* ]] && break
  done
done
zpty -d terminal
`;
