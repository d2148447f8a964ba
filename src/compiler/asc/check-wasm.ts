import { InternalError } from "../../base/invariant.js";
import type { Report } from "../diagnostics/report.js";
import type { EmittedFile } from "../emit/emitted-file.js";
import type { SubgraphModel } from "../model/subgraph.js";
import { ALLOWED_IMPORTS } from "./allowed-imports.js";
import { inspectWasm } from "./inspect-wasm.js";

/** Functions that graph-node lacks, each with the source text that makes the compiler import it. */
const culprits: readonly (readonly [imported: RegExp, written: RegExp])[] = [
  [/^(?:Date\.)?now$/, /\bDate\b/],
  [/^seed$/, /\bMath\b/],
  [/^(?:fd_write|console)/, /\bconsole\b/],
  [/^trace$/, /\btrace\b/],
];

/**
 * Checks that graph-node can run a compiled mapping: that it exports every handler of every manifest, and that
 * graph-node provides every import.
 */
export function checkWasm(
  wasm: Uint8Array,
  model: SubgraphModel,
  files: readonly EmittedFile[],
  report: Report,
): void {
  const { exports, imports } = inspectWasm(wasm);
  const exported = new Set(exports);
  for (const { handlers } of model.modules) {
    const missing = handlers.find(({ name }) => !exported.has(name));
    if (missing) throw new InternalError(`the WASM does not export the handler ${missing.name}`);
  }
  for (const { name } of imports) {
    if (!ALLOWED_IMPORTS.has(name)) reportImport(name, model, files, report);
  }
}

function reportImport(
  name: string,
  { mapping }: SubgraphModel,
  files: readonly EmittedFile[],
  report: Report,
): void {
  const written = culprits.find(([imported]) => imported.test(name))?.[1];
  const expressions = files.flatMap((file) => file.expressions.map(({ user }) => user));
  const places = written ? expressions.filter(({ text }) => written.test(text)) : [];
  const inMapping =
    mapping && (written?.exec(mapping.file.text) ?? (places.length === 0 ? { index: 0 } : null));
  if (mapping && inMapping) {
    const { index } = inMapping;
    const at = { source: mapping.file, pointer: "", start: index, end: index + 1 };
    report.error(
      "unavailable-function",
      at,
      `the mapping needs "${name}", which graph-node does not provide`,
      {
        hint: "use the event, its block and graph-ts instead",
      },
    );
    return;
  }
  if (expressions.length === 0) {
    throw new InternalError(`generated code imports "${name}", which graph-node does not provide`);
  }
  const [first, ...others] = places;
  report.error(
    "unavailable-function",
    first?.expression.at,
    `${first?.what ?? "an expression"} needs "${name}", which graph-node does not provide`,
    {
      related: others.map(({ expression, what }) => ({ at: expression.at, text: `${what} needs it too` })),
      hint: "use the event, its block and graph-ts instead",
    },
  );
}
