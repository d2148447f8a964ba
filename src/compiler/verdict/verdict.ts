import { InternalError } from "../../base/invariant.js";
import type { AscCrash, AscMessage, AscOutput } from "../asc/asc.js";
import type { Report } from "../diagnostics/report.js";
import type { EmittedFile } from "../emit/emitted-file.js";
import type { SubgraphModel } from "../model/subgraph.js";
import type { Location } from "../source/source.js";
import { withoutParentheses } from "../syntax/member-path.js";
import { wordsFor, wordsForCrash } from "./compiler-words.js";
import { Program, type Traced } from "./program.js";
import { findTraps } from "./traps/find-traps.js";
import type { Words } from "./words.js";

/**
 * Reports the AssemblyScript compiler's errors in the user's terms and at the user's expressions, and traps in
 * expressions that compile.
 * @throws InternalError if generated code is to blame, not an expression
 */
export function reportVerdict(
  output: AscOutput,
  files: readonly EmittedFile[],
  model: SubgraphModel,
  report: Report,
): void {
  const program = new Program(files, "types" in output ? output.types : [], model);
  let reported: readonly Location[] = [];
  switch (output.kind) {
    case "compiled":
      reported = reportMessages(output.warnings, program, report);
      break;
    case "rejected":
      reported = reportMessages(output.messages, program, report);
      for (const crash of output.crashes) reportCrash(crash, program, report);
      break;
    case "crashed":
      reportCrash(output, program, report);
      break;
    case "hung":
      report.error(
        "compiler-hung",
        undefined,
        `the AssemblyScript compiler did not finish within ${output.seconds} seconds`,
        { hint: "simplify the longest expressions, or try again on a machine that is less busy" },
      );
      break;
    case "exhausted":
      report.error("compiler-exhausted", undefined, "the AssemblyScript compiler ran out of memory", {
        notes: ["it needs about 300 MB for every 1,000 indexed events and calls"],
        hint:
          "remove what you do not need from the ABIs, or allow more memory: " +
          "NODE_OPTIONS=--max-old-space-size=<megabytes>",
      });
  }
  for (const expression of program.expressions) {
    for (const { code, node, fact, ...details } of findTraps(expression)) {
      const around = expression.at(node === expression.root ? node : node.parent);
      // Traps around a part that does not compile are mere consequences.
      if (reported.some((location) => meet(location, around))) continue;
      report.warning(code, expression.at(node), `${expression.user.what} ${fact}`, details);
    }
  }
}

interface Found {
  readonly message: AscMessage;
  readonly traced: Traced | undefined;
}

/**
 * Reports errors; for one part of an expression, only the first and most severe, because the others follow from it.
 * @returns the locations of the reported errors
 */
function reportMessages(
  messages: readonly AscMessage[],
  program: Program,
  report: Report,
): readonly Location[] {
  const found = messages.map((message) => ({ message, traced: message.at && program.trace(message.at) }));
  const errors = found.filter(({ message }) => message.severity === "error");
  const warnings = found.filter(
    ({ message, traced }) => message.severity === "warning" && (traced || program.traceOwn(message.at)),
  );
  // Syntax that AssemblyScript lacks causes more errors around it.
  const foreign = new Set(errors.filter(isForeign).map(({ traced }) => traced?.expression));
  const reported: Location[] = [];
  for (const one of [...errors, ...warnings]) {
    const { message, traced } = one;
    if (reportOwn(message, program, report)) continue;
    if (traced && foreign.has(traced.expression) && !isForeign(one)) continue;
    if (traced && reported.some((earlier) => meet(earlier, traced.location))) continue;
    if (traced) reported.push(traced.location);
    if (message.severity === "error") reportError(message, traced, program, report);
    else if (traced) reportWarning(message, traced, program, report);
  }
  return reported;
}

/** Reports a message about the user's own mapping. @returns whether it concerns this mapping */
function reportOwn({ severity, code, message, at }: AscMessage, program: Program, report: Report): boolean {
  const own = program.traceOwn(at);
  if (!own) return false;
  report[severity === "error" ? "error" : "warning"]("mapping-rejected", own.at, own.what, {
    notes: [`asc ${code}: ${message.replace(/\.$/, "")}`],
    ...(own.hint && { hint: own.hint }),
  });
  return true;
}

function isForeign({ message, traced }: Found): boolean {
  return /^(?:AS100|TS1\d{3})$/.test(message.code) && traced !== undefined;
}

function meet(a: Location, b: Location): boolean {
  return a.source === b.source && a.start < b.end && b.start < a.end;
}

function reportError(message: AscMessage, found: Traced | undefined, program: Program, report: Report): void {
  if (found) {
    const { expression, location, node } = found;
    const { notes = [], ...words } = wordsFor(message, node, expression);
    report.error("expression-type", location, `AssemblyScript rejects ${expression.user.what}`, {
      ...words,
      notes: [compilerNote(message, program), ...notes],
    });
    return;
  }
  const isInLibrary = !message.at || message.at.file.startsWith("~lib/");
  if (program.expressions.length === 0 || !isInLibrary) {
    throw new InternalError(`AssemblyScript rejects generated code: ${compilerNote(message, program)}`);
  }
  const { hint }: Words = wordsFor(message, undefined, undefined);
  report.error("expression-type", undefined, "AssemblyScript rejects library code that an expression uses", {
    notes: [compilerNote(message, program)],
    hint,
  });
}

function compilerNote({ code, message, at }: AscMessage, program: Program): string {
  return `asc ${code}: ${message.replace(/\.$/, "")}${program.placeWords(at)}`;
}

function reportCrash({ message, at }: AscCrash, program: Program, report: Report): void {
  const own = program.traceOwn(at);
  if (own) {
    report.error("mapping-rejected", own.at, "the AssemblyScript compiler crashes on the mapping", {
      notes: [`asc: ${message}`],
      hint: "compare with null by === or !==, and give variables that may be null a type",
    });
    return;
  }
  const found = at && program.trace(at);
  if (!found && program.expressions.length === 0) {
    throw new InternalError(`the AssemblyScript compiler crashed${program.placeWords(at)}: ${message}`);
  }
  const node = found?.node && withoutParentheses(found.node);
  report.error(
    "expression-crashes-compiler",
    node ? found?.expression.at(node) : found?.location,
    `the AssemblyScript compiler crashes on ${found?.expression.user.what ?? "an expression"}`,
    {
      hint: "compare with null by === or !==, and shift with .leftShift() and .rightShift()",
      ...wordsForCrash(node, found?.expression),
      notes: [`asc: ${message}`],
    },
  );
}

/** Reports a warning about an expression; warnings about generated code do not concern the user. */
function reportWarning(
  message: AscMessage,
  { expression, location, node }: Traced,
  program: Program,
  report: Report,
): void {
  report.warning("expression-doubtful", location, `AssemblyScript warns about ${expression.user.what}`, {
    ...wordsFor(message, node, expression),
    notes: [compilerNote(message, program)],
  });
}
