import { isPlainWord } from "./bash-script.js";
import type { CompletedCommand, CompletedOption } from "./completion-table.js";

/** A script for zsh: `graphloom completion zsh > "${fpath[1]}/_graphloom"`, or evaluated after compinit. */
export function zshScript(table: readonly CompletedCommand[]): string {
  const paths = table.flatMap(({ path }) => (path === "" ? [] : [`"${path}"`]));
  return `#compdef graphloom
# Completion of graphloom for zsh. Add to ~/.zshrc, after compinit: eval "$(graphloom completion zsh)"
_graphloom() {
  local current="\${words[CURRENT]}" previous="\${words[CURRENT-1]}" at="" word next
  local -a commands options choices
  local takes=""
  if [[ $current == --*=* ]]; then
    previous="\${current%%=*}"
    compset -P '*='
  fi
  for word in "\${(@)words[2,CURRENT-1]}"; do
    next="\${at:+$at }$word"
    case "$next" in
      (${paths.join("|")}) at="$next" ;;
    esac
  done
  case "$at" in
${table.map(branch).join("\n")}
  esac
  if (( \${#choices} )); then
    compadd -- "\${choices[@]}"
  elif [[ -n $takes ]]; then
    _files
  elif [[ $current == -* ]]; then
    _describe -o option options
  elif (( \${#commands} )); then
    _describe command commands
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _graphloom ]]; then _graphloom "$@"; else compdef _graphloom graphloom; fi
`;
}

function branch({ path, commands, values, options }: CompletedCommand): string {
  const described = [
    ...commands.map(({ word, describe }) => item(word, describe)),
    ...values.filter(isPlainWord).map((value) => item(value, "")),
  ];
  const named = options.flatMap(({ names, describe }) => names.map((name) => item(name, describe)));
  const taking = options.filter(({ value }) => value !== "none");
  const cases = taking.map((option) => `        (${option.names.join("|")}) ${assigned(option)} ;;`);
  return `    ("${path}")
      commands=(${described.join(" ")})
      options=(${named.join(" ")})
      case "$previous" in
${cases.join("\n")}
      esac ;;`;
}

function assigned({ value }: CompletedOption): string {
  return typeof value === "string" ? "takes=file" : `choices=(${value.filter(isPlainWord).join(" ")})`;
}

/** A word and its description, separated by a colon. */
function item(word: string, describe: string): string {
  const text = describe === "" ? word : `${word.replaceAll(":", "\\:")}:${describe.replaceAll(":", "\\:")}`;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
