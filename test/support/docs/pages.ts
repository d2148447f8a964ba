import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root folder of the package. */
export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A page of documentation, by its path from the root. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

/** README.md and the manual. */
export function pages(): readonly Page[] {
  const files = readdirSync(join(root, "docs")).filter((file) => file.endsWith(".md"));
  const manual = files.map((file) => `docs/${file}`);
  return ["README.md", ...manual].map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

/** What coding agents read besides the manual: the skill, and the file that `init` writes. */
export function agentPages(): readonly Page[] {
  const files = readdirSync(join(root, "skills"), { recursive: true, encoding: "utf8" });
  const skill = files.filter((file) => file.endsWith(".md")).map((file) => join("skills", file));
  return [...skill, "templates/AGENTS.md"].map((path) => ({
    path,
    text: readFileSync(join(root, path), "utf8"),
  }));
}

/** A page without its code blocks. */
export function proseOf(text: string): string {
  return text.replace(/^```.*?^```$/gms, "");
}

/**
 * The sentences of a page's prose: of paragraphs, items of lists and cells of tables, each by itself. Code counts as a
 * word.
 */
export function sentencesOf(text: string): readonly string[] {
  const blocks = proseOf(text)
    .replace(/`[^`\n]+`/g, "code")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .split(/\n\s*\n|\n(?=\s*[-*] |\s*\d+\. |\||#)/);
  return blocks
    .flatMap((block) => (block.startsWith("|") ? block.split("|") : [block]))
    .flatMap((part) => part.replace(/\s+/g, " ").split(/(?<=[.!?:;])\s+/))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

/** The targets of a page's links: paths and anchors of this repository. */
export function linksOf(text: string): readonly string[] {
  return [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, address = ""]) => address)
    .filter((address) => !/^[a-z]+:/.test(address));
}
