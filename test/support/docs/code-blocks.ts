import type { Page } from "./pages.js";

/** A fenced block of a page. */
export interface CodeBlock {
  readonly path: string;
  /** Of its first line within the page. Blocks within lists are indented, which their text is not. */
  readonly line: number;
  /** The word behind the fence; empty without one. */
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of pages, in their order. */
export function codeBlocks(pages: readonly Page[]): readonly CodeBlock[] {
  return pages.flatMap(({ path, text }) =>
    [...text.matchAll(/^( *)```(\w*)\n(.*?)^\1```$/gms)].map(
      ({ index, 1: indent = "", 2: language = "", 3: block = "" }) => ({
        path,
        language,
        text: block.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
        line: text.slice(0, index).split("\n").length + 1,
      }),
    ),
  );
}

/** The only block that passes a filter. @throws Error for none or several */
export function theBlock(blocks: readonly CodeBlock[], fits: (block: CodeBlock) => boolean): CodeBlock {
  const [block, ...others] = blocks.filter(fits);
  if (!block || others.length > 0)
    throw new Error(`${others.length + (block ? 1 : 0)} blocks instead of one`);
  return block;
}

/** The commands of a terminal block, each with its output. */
export function typedIn({ text }: CodeBlock): readonly { readonly line: string; readonly output: string }[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [line = ""] = /^(?:.*\\\n)*.*\n/.exec(part) ?? [];
      return { line, output: part.slice(line.length) };
    });
}
