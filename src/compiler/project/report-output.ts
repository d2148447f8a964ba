import type { AscInput, AscMessage, AscOutput, AscPlace } from "../asc/asc.js";
import type { Report } from "../diagnostics/report.js";
import type { Location } from "../source/source.js";
import type { ProjectFiles } from "./project-files.js";

/** Reports the AssemblyScript compiler's messages about a mapping, at their locations in the user's files. */
export function reportOutput(
  { path }: { readonly path: string },
  input: AscInput,
  output: AscOutput,
  { files, generated }: { readonly files: ProjectFiles; readonly generated: ReadonlyMap<string, string> },
  report: Report,
): void {
  const locate = (place: AscPlace | undefined): Location | undefined => {
    const text = place && input.files.get(place.file);
    if (!place || text === undefined) return undefined;
    const source = sourceOf(input.files, files.hostPath(place.file), text);
    return { source, pointer: "", start: place.start, end: place.end };
  };
  const beginning = (): Location | undefined => locate({ file: path, start: 0, end: 0 });
  switch (output.kind) {
    case "compiled":
      for (const message of output.warnings) reportMessage(message, "warning");
      return;
    case "rejected":
      for (const message of output.messages) reportMessage(message, message.severity);
      return;
    case "crashed":
      report.error(
        "project-mapping",
        locate(output.at) ?? beginning(),
        "the AssemblyScript compiler crashes on the mapping",
        {
          notes: [`asc: ${output.message}`],
          hint: "compare with null by === or !==, and give variables that may be null a type",
        },
      );
      return;
    case "hung":
      report.error(
        "compiler-hung",
        beginning(),
        `the AssemblyScript compiler did not finish within ${output.seconds} seconds`,
        {
          hint: "rename an entity type called Entity, or try again on a machine that is less busy",
        },
      );
      return;
    case "exhausted":
      report.error("compiler-exhausted", beginning(), "the AssemblyScript compiler ran out of memory", {
        hint: "allow more memory: NODE_OPTIONS=--max-old-space-size=<megabytes>",
      });
  }

  function reportMessage(message: AscMessage, severity: AscMessage["severity"]): void {
    // Users cannot act on the compiler's notes, or on its warnings about libraries.
    if (severity === "info" || (severity === "warning" && !message.at)) return;
    const at = locate(message.at);
    const related = locate(message.related);
    const isGenerated = message.at !== undefined && generated.has(message.at.file);
    report[severity]("project-mapping", at ?? beginning(), wordsOf(message), {
      notes: [`asc ${message.code}`],
      ...(related && { related: [{ at: related, text: "concerns this, too" }] }),
      hint: isGenerated ? "correct the ABI or the schema that this file is generated from" : hintFor(message),
    });
  }
}

const sources = new WeakMap<ReadonlyMap<string, string>, Map<string, Location["source"]>>();

/** Returns the same source for the same file, as excerpts and the order of diagnostics require. */
function sourceOf(program: ReadonlyMap<string, string>, path: string, text: string): Location["source"] {
  const known = sources.get(program) ?? new Map<string, Location["source"]>();
  sources.set(program, known);
  const source = known.get(path) ?? { path, text };
  known.set(path, source);
  return source;
}

function wordsOf({ message }: AscMessage): string {
  const text = message.replace(/\.$/, "");
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** The usual remedy for a message. */
function hintFor({ code, message }: AscMessage): string | undefined {
  if (code === "TS6054") {
    if (message.includes(".ts.ts'")) return "leave .ts out of the import: the compiler adds it";
    if (message.includes("/UncrashableEntityHelpers.ts'"))
      return "run graph codegen --uncrashable first: graphloom does not write this file, but compiles it";
    return /@|node_modules|~lib/.test(message)
      ? "install the package, or correct its name"
      : "correct the path, or run the script of the project that makes the file; files of graphloom codegen are named after the data source and the ABI";
  }
  if (code === "TS2322" && / \| null' is not assignable/.test(message))
    return "check that the value is not null first, or append ! if it never is";
  if (code === "AS100" && /Closures/.test(message))
    return "pass what the function needs as arguments, or write a loop: functions see no variables around them";
  if (code === "TS2305") return "correct the name, or import it from where it is declared";
  return undefined;
}
