import type { CompletedCommand, CompletedOption } from "./completion-table.js";

/** Whether a word needs no quoting in a shell; other words are never completed. */
export function isPlainWord(word: string): boolean {
  return /^[\w./:@%+,-]+$/.test(word);
}

/** A script for bash: `eval "$(graphloom completion bash)"`. */
export function bashScript(table: readonly CompletedCommand[]): string {
  const paths = table.flatMap(({ path }) => (path === "" ? [] : [`"${path}"`]));
  return `# Completion of graphloom for bash. Add to ~/.bashrc: eval "$(graphloom completion bash)"
_graphloom() {
  local cur prev path="" word next index takes="" choices="" COMMANDS="" VALUES="" OPTIONS=""
  local COMP_LINE_WORDS=("\${COMP_WORDS[@]:0:COMP_CWORD}")
  cur="\${COMP_WORDS[COMP_CWORD]}"
  prev="\${COMP_WORDS[COMP_CWORD-1]}"
  # bash splits words at "=": --output = json
  if [[ $cur == "=" ]]; then cur=""
  elif [[ $prev == "=" && $COMP_CWORD -gt 1 ]]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  for word in "\${COMP_LINE_WORDS[@]:1}"; do
    next="\${path:+$path }$word"
    case "$next" in
      ${paths.join("|")}) path="$next" ;;
    esac
  done
  case "$path" in
${table.map(branch).join("\n")}
  esac
  COMPREPLY=()
  if [[ -n $choices ]]; then
    COMPREPLY=($(compgen -W "$choices" -- "$cur"))
  elif [[ -n $takes ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$OPTIONS" -- "$cur"))
  elif [[ -n $COMMANDS ]]; then
    COMPREPLY=($(compgen -W "$COMMANDS" -- "$cur"))
  elif [[ -n $VALUES ]]; then
    COMPREPLY=($(compgen -W "$VALUES" -- "$cur"))
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  fi
}
complete -F _graphloom graphloom
`;
}

function branch({ path, commands, values, options }: CompletedCommand): string {
  const words = options.flatMap(({ names }) => names).filter(isPlainWord);
  const taking = options.filter(({ value }) => value !== "none");
  const cases = taking.map((option) => `        ${option.names.join("|")}) ${assigned(option)} ;;`);
  return `    "${path}")
      COMMANDS="${commands.map(({ word }) => word).join(" ")}"
      VALUES="${values.filter(isPlainWord).join(" ")}"
      OPTIONS="${words.join(" ")}"
      case "$prev" in
${cases.join("\n")}
      esac ;;`;
}

function assigned({ value }: CompletedOption): string {
  return typeof value === "string" ? 'takes="file"' : `choices="${value.filter(isPlainWord).join(" ")}"`;
}
