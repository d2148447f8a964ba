import type { Location, Source } from "../source/source.js";

export type OptionLists = ReadonlyMap<string, readonly string[]>;

/** Locates the entries of options. */
export interface OptionSource {
  /**
   * The location of the entry with this index, or of the only entry; the start of the text if the option is missing.
   */
  place(option: string, index: number): Location;
}

/**
 * Makes a source text of the options, one per line. The user has never seen the generated configuration, so
 * diagnostics show this text, with the option's entry underlined: `--contract 0x12,0x34`.
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
