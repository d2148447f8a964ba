import type { Location, Source } from "../source/source.js";

/** Options and the entries given to them. */
export type OptionLists = ReadonlyMap<string, readonly string[]>;

/** Where the entries of options stand. */
export interface OptionSource {
  /** The entry of that number, or the only one there is; the beginning of the text where the option is not given. */
  place(option: string, index: number): Location;
}

/**
 * Makes the options a text, an option a line. A finding about what was given to an option can then be shown like one in
 * a file, with the entry underlined behind the option's name: `--contract 0x12,0x34`. The made configuration itself
 * would be a place the user has never seen.
 */
export function optionSource(options: OptionLists): OptionSource {
  const lines = [...options].map(([option, entries]) => `--${option} ${entries.join(",")}`);
  const source: Source = { path: "<options>", text: lines.join("\n") };
  const spans = new Map<string, readonly (readonly [number, number])[]>();
  let lineStart = 0;
  for (const [index, [option, entries]] of [...options].entries()) {
    let start = lineStart + `--${option} `.length;
    const own: (readonly [number, number])[] = [];
    for (const { length } of entries) {
      own.push([start, start + length]);
      start += length + 1;
    }
    spans.set(option, own);
    lineStart += (lines[index]?.length ?? 0) + 1;
  }
  return {
    place(option, index) {
      const own = spans.get(option);
      const [start, end] = own?.[index] ?? own?.[0] ?? [0, 0];
      return { source, pointer: "", start, end };
    },
  };
}
