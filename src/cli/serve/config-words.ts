import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type Scalar } from "yaml";
import { suggest } from "../../base/text/suggest.js";
import { readSettingsFile } from "../../machine/files/settings-file.js";
import type { OptionSet } from "../terminal/command.js";
import { dashed, repeatable } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/**
 * The words that the options in a file stand for: `port: 8030` is `--port=8030`. What the command line gives is left out.
 * No message shows a value, since addresses may hold keys.
 * @param name the path of the file, as messages show it
 * @param path the file
 * @param options the options of the command
 * @param given the command line
 * @throws UsageError that names the line, if the file cannot be read or an option does not fit
 */
export function configWords(
  name: string,
  path: string,
  options: OptionSet,
  given: readonly string[],
): readonly string[] {
  const read = readSettingsFile(path);
  if ("why" in read) throw new UsageError(`--config ${name}: ${read.why}.`);
  const lines = new LineCounter();
  const document = parseDocument(read.text, { lineCounter: lines, merge: false });
  const fail = (at: number, message: string): never => {
    const { line, col } = lines.linePos(at);
    throw new UsageError(`${name}:${line}:${col}: ${message}`);
  };
  const [broken] = document.errors;
  if (broken) fail(broken.pos[0], `the file cannot be read: ${firstLine(broken.message)}`);
  const { contents } = document;
  if (contents === null) return [];
  if (!isMap<Node, Node | null>(contents))
    return fail(contents.range[0], "the file has to be a list of options, such as port: 8030");
  const isGiven = givenOptions(given);
  return contents.items.flatMap(({ key, value }) => {
    const at = key.range?.[0] ?? 0;
    const option = isScalar(key) ? String(key.value) : fail(at, "a key has to be the name of an option");
    const spec = Object.hasOwn(options, option) && option !== "config" ? options[option] : undefined;
    if (!spec) return fail(at, noOption(option, options));
    const words = wordsOf(option, spec, value, (node, message) => fail(node?.range?.[0] ?? at, message));
    return isGiven(option) ? [] : words;
  });
}

const isList = (option: string): boolean => repeatable.has(option) || repeatable.has(`serve --${option}`);

type Refuse = (node: Node | null, message: string) => never;

function wordsOf(
  option: string,
  spec: OptionSet[string],
  value: Node | null,
  refuse: Refuse,
): readonly string[] {
  if (!value || (isScalar(value) && value.value === null))
    return refuse(value, `${option} has no value. Leave it out to use its default`);
  if (spec.type === "boolean") {
    if (isScalar(value) && typeof value.value === "boolean")
      return [value.value ? `--${option}` : `--no-${option}`];
    return refuse(value, `${option} has to be true or false`);
  }
  if (!isList(option)) return [`--${option}=${textOf(option, spec, value, refuse)}`];
  const textsOf = (node: Node): readonly string[] =>
    (isSeq<Node>(node) ? node.items : [node]).map((one) => textOf(option, spec, one, refuse));
  if (!isMap<Node, Node | null>(value)) return textsOf(value).map((text) => `--${option}=${text}`);
  return value.items.flatMap(({ key, value: texts }) => {
    const name = textOf(option, spec, key, refuse);
    const all = texts ? textsOf(texts) : refuse(key, `${option} has no value for ${name}`);
    return all.map((text) => `--${option}=${name}=${text}`);
  });
}

function textOf(option: string, spec: OptionSet[string], node: Node, refuse: Refuse): string {
  if (!isScalar(node))
    return refuse(node, `${option} has to be ${isList(option) ? "a list of texts" : "one value"}`);
  const { value } = node as Scalar<unknown>;
  if (spec.type === "number" && typeof value !== "number")
    return refuse(node, `${option} has to be a number`);
  const text = typeof value === "number" || typeof value === "string" ? String(value) : "";
  if (text === "") return refuse(node, `${option} has to be text`);
  const choices = spec.choices?.map(String);
  if (choices && !choices.includes(text))
    return refuse(node, `${option} has to be one of ${choices.join(", ")}`);
  return text;
}

function noOption(option: string, options: OptionSet): string {
  const [near] = suggest(option, Object.keys(options));
  const hint = near === undefined ? "graphloom serve --help lists them" : `did you mean ${near}?`;
  return `serve has no option ${option}: ${hint}`;
}

/** Whether a command line has an option, as `--port`, `--no-proofs` or `--publicAddress`. */
function givenOptions(words: readonly string[]): (option: string) => boolean {
  const given = new Set(words.map((word) => dashed(/^--(?:no-)?([a-zA-Z][\w-]*)/.exec(word)?.[1] ?? "")));
  return (option) => given.has(option);
}

function firstLine(message: string): string {
  return (message.split("\n")[0] ?? "").replace(/ at line \d+, column \d+:?$/, "");
}
