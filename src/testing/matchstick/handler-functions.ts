import { candidates, isRelative, resolveImport } from "../../compiler/project/imports.js";
import type { HandlersOfSource } from "../coverage.js";
import type { ReadText } from "./collect-sources.js";

/** A function of a mapping that is the handler of at least one data source or template. */
export interface HandlerFunction {
  /** Relative to the project's folder. */
  readonly file: string;
  /** Its name in that file. */
  readonly name: string;
  /** Its place in the manifest. */
  readonly handles: readonly { readonly source: string; readonly handler: string }[];
}

/**
 * Finds the functions of handlers in the sources of mappings, following re-exports from other files. Leaves out a
 * handler whose function does not exist: no test can call it.
 * @param sources with mappings relative to the project's folder
 */
export async function findHandlers(
  sources: readonly HandlersOfSource[],
  read: ReadText,
): Promise<readonly HandlerFunction[]> {
  const texts = new Map<string, Promise<string | undefined>>();
  const code = (file: string): Promise<string | undefined> => {
    const text = texts.get(file) ?? read(file);
    texts.set(file, text);
    return text;
  };
  const functions = new Map<string, HandlerFunction>();
  for (const { name: source, mapping, handlers } of sources) {
    for (const handler of handlers) {
      const found = await findFunction({ file: mapping, name: handler }, code, new Set());
      if (!found) continue;
      const key = JSON.stringify([found.file, found.name]);
      const handles = [...(functions.get(key)?.handles ?? []), { source, handler }];
      functions.set(key, { ...found, handles });
    }
  }
  return [...functions.values()];
}

const importedName = "graphloomRanHandler";
const declaration = `
// @ts-ignore: decorator
@external("graphloom", "graphloom.ran")
declare function ${importedName}(handler: i32): void;
`;

/**
 * Makes each of these functions report its number when it runs.
 * @returns a function that changes a source before it is compiled, without changing its lines
 */
export function reportHandlers(
  functions: readonly HandlerFunction[],
): (path: string, text: string) => string {
  return (path, text) => {
    const blanked = withoutWords(text);
    const bodies = functions.flatMap(({ file, name }, number) => {
      const body = file === path ? bodyOf(name, blanked) : undefined;
      return body === undefined ? [] : [{ body, number }];
    });
    if (bodies.length === 0) return text;
    // From the end, so that earlier positions stay valid.
    const changed = bodies
      .sort((a, b) => b.body - a.body)
      .reduce(
        (all, { body, number }) => `${all.slice(0, body)} ${importedName}(${number});${all.slice(body)}`,
        text,
      );
    return changed + declaration;
  };
}

interface Named {
  readonly file: string;
  readonly name: string;
}

const identifier = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;

/** Follows a name from the file that exports it to the one that defines its function. */
async function findFunction(
  { file, name }: Named,
  read: ReadText,
  seen: Set<string>,
): Promise<Named | undefined> {
  const key = JSON.stringify([file, name]);
  if (seen.has(key) || !identifier.test(name)) return undefined;
  seen.add(key);
  const text = await read(file);
  if (text === undefined) return undefined;
  const blanked = withoutWords(text);
  if (bodyOf(name, blanked) !== undefined) return { file, name };
  for (const { module, inner } of leadsFor(name, text, blanked)) {
    for (const path of module === undefined ? [file] : await existing(file, module, read)) {
      const found = await findFunction({ file: path, name: inner }, read, seen);
      if (found) return found;
    }
  }
  return undefined;
}

async function existing(from: string, module: string, read: ReadText): Promise<readonly string[]> {
  if (!isRelative(module)) return [];
  for (const path of candidates(resolveImport(from, module))) {
    if ((await read(path)) !== undefined) return [path];
  }
  return [];
}

/** Where a name may be defined: under another name in the same file, or in another module. */
interface Lead {
  readonly module: string | undefined;
  readonly inner: string;
}

const lists = /\b(?:import|export)\s*\{([^}]*)\}(?:\s*from\s*(?=["'`]))?/g;
const stars = /\bexport\s*\*\s*from\s*(?=["'`])/g;

function leadsFor(name: string, text: string, blanked: string): readonly Lead[] {
  const leads: Lead[] = [];
  for (const { 0: whole, 1: names = "", index } of blanked.matchAll(lists)) {
    const module = moduleAt(text, index + whole.length);
    for (const item of names.split(",")) {
      const [inner = "", outer = inner] = item.trim().split(/\s+as\s+/);
      if (outer === name) leads.push({ module, inner });
    }
  }
  for (const { 0: whole, index } of blanked.matchAll(stars)) {
    const module = moduleAt(text, index + whole.length);
    if (module !== undefined) leads.push({ module, inner: name });
  }
  return leads;
}

/** The string at a place. */
function moduleAt(text: string, at: number): string | undefined {
  return /^(["'`])([^"'`\n]+)\1/.exec(text.slice(at, at + 1_000))?.[2];
}

/** The place behind the `{` of a function; `undefined` if it is not defined here. */
function bodyOf(name: string, blanked: string): number | undefined {
  const pattern = new RegExp(`\\bfunction\\s+${name.replaceAll("$", () => "\\$")}\\s*\\(`, "u");
  const found = pattern.exec(blanked);
  if (!found) return undefined;
  let depth = 1;
  let at = found.index + found[0].length;
  for (; depth > 0 && at < blanked.length; at++) {
    if (blanked[at] === "(") depth += 1;
    if (blanked[at] === ")") depth -= 1;
  }
  const brace = blanked.indexOf("{", at);
  return brace === -1 ? undefined : brace + 1;
}

const commentsAndStrings =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*(?:`|$)/g;

/** The text with spaces in place of comments and the content of strings. Every other character keeps its position. */
function withoutWords(text: string): string {
  return text.replace(commentsAndStrings, (word) => {
    const blank = word.replace(/[^\n]/g, " ");
    return word.startsWith("/") ? blank : `${word[0]}${blank.slice(2)}${word[0]}`;
  });
}
