/**
 * The commands of a shell's script, as their words: for the plain shell of a manual, with quotes, continued lines,
 * lists, pipes, redirections, variables and here-documents. Assignments in front of a command, and what is redirected,
 * are left out. A variable stays as it is written.
 * @throws Error for a quote that does not end
 */
export function shellCommands(script: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  for (const token of tokensOf(withoutDocuments(script.replace(/\\\n/g, " ")))) {
    if (token.kind === "end") commands.push([]);
    else commands.at(-1)?.push(token.text);
  }
  return commands.flatMap((words) => {
    const program = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
    return program < 0 ? [] : [words.slice(program)];
  });
}

type Token = { readonly kind: "word"; readonly text: string } | { readonly kind: "end" };

/** Lines from `<<END` to `END` are a document, not commands. */
function withoutDocuments(script: string): string {
  return script.replace(/<<'?(\w+)'?(.*)\n(?:.*\n)*?\1$/gm, "$2");
}

function* tokensOf(script: string): Generator<Token> {
  const pattern =
    /(?<blank>[ \t]+|#[^\n]*)|(?<end>\n|&&|\|\|?|;)|(?<redirect>[0-9]?[<>]+[ \t]*\S+)|(?<word>(?:'[^']*'|"(?:\\.|\$\([^)]*\)|[^"\\])*"|\$\([^)]*\)|[^\s'"<>|;&])+)/y;
  while (pattern.lastIndex < script.length) {
    const at = pattern.lastIndex;
    const groups = pattern.exec(script)?.groups;
    if (!groups) throw new Error(`not understood as a shell's words: ${script.slice(at)}`);
    if (groups.end !== undefined) yield { kind: "end" };
    if (groups.word !== undefined) yield { kind: "word", text: unquoted(groups.word) };
  }
}

function unquoted(word: string): string {
  return word.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"/g, (_, plain?: string, other?: string) =>
    plain !== undefined ? plain : (other ?? "").replace(/\\(.)/g, "$1"),
  );
}
