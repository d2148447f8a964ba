/** The words of a line, as a shell separates them. Variables stay as they are. */
export function shellWords(line: string): readonly string[] {
  return Array.from(
    line.matchAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|(\S+)/gs),
    ([, single, double, plain]) => single ?? double?.replaceAll(/\\(.)/g, "$1") ?? plain ?? "",
  );
}
