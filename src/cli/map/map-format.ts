import { resolve } from "node:path";
import { visible } from "../../base/text/visible.js";
import { UsageError } from "../terminal/usage/usage-error.js";

export const mapFormats = ["svg", "png", "mermaid"] as const;
export type MapFormat = (typeof mapFormats)[number];

/** The endings of file names by format, the usual one first. */
const endings: Readonly<Record<MapFormat, readonly string[]>> = {
  svg: ["svg"],
  png: ["png"],
  mermaid: ["mmd", "mermaid"],
};

export interface MapTarget {
  readonly format: MapFormat;
  /** The file to write to; absent for standard output, or for a README alone. */
  readonly output?: string;
  /** The README that keeps the map. */
  readonly readme?: string;
}

/** The options that decide it. */
export interface TargetOptions {
  readonly format?: MapFormat | undefined;
  readonly output?: string | undefined;
  readonly readme?: string | undefined;
  readonly check: boolean;
}

/**
 * Decides the format and the files of a map. The format follows the file's ending unless it is given; a README alone
 * keeps Mermaid, and standard output gets SVG.
 * @throws UsageError for options that contradict each other
 */
export function mapTarget({ format, output, readme, check }: TargetOptions): MapTarget {
  for (const [option, file, example] of [
    ["--output", output, "map.svg"],
    ["--readme", readme, "README.md"],
  ])
    if (file === "")
      throw new UsageError(`${option}: the name of the file is empty. Name it, such as ${example}.`);
  if (output !== undefined && readme !== undefined && resolve(output) === resolve(readme))
    throw new UsageError("--readme and --output name the same file. Name the picture with --output map.svg.");
  const ending = endingOf(output);
  const ofEnding = mapFormats.find((one) => endings[one].includes(ending));
  if (output !== undefined && format === undefined && ofEnding === undefined)
    throw new UsageError(
      `--output: the name of a map must end in .svg, .png or .mmd, not ${ending === "" ? visible(output) : `.${visible(ending)}`}. Or choose a format with --format.`,
    );
  if (format !== undefined && ofEnding !== undefined && format !== ofEnding)
    throw new UsageError(`--output ends in .${ending}, but --format is ${format}. Leave out --format.`);
  const chosen = format ?? ofEnding ?? (readme === undefined ? "svg" : "mermaid");
  if (output === undefined && readme !== undefined && chosen !== "mermaid")
    throw new UsageError(
      `--readme: a README shows a map as ${chosen} from a file beside it. Name the file with --output map.${endings[chosen][0]}, or leave out --format to keep the map in the README as Mermaid.`,
    );
  if (output === undefined && readme === undefined && chosen === "png")
    throw new UsageError("--format png writes to a file. Name it with --output map.png.");
  if (check && output === undefined && readme === undefined)
    throw new UsageError(
      "--check compares files with the configuration. Name them with --readme or --output.",
    );
  if (check && chosen === "png")
    throw new UsageError(
      "--check compares bytes, and those of a PNG depend on the fonts of the machine. Keep the map as SVG or Mermaid.",
    );
  return {
    format: chosen,
    ...(output !== undefined && { output }),
    ...(readme !== undefined && { readme }),
  };
}

function endingOf(file: string | undefined): string {
  return /[^/\\]\.([^./\\]+)$/.exec(file ?? "")?.[1]?.toLowerCase() ?? "";
}
