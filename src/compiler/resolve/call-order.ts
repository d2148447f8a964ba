import { quote } from "../../base/quote.js";
import { correctName } from "../diagnostics/correct-name.js";
import type { Report } from "../diagnostics/report.js";
import type { CallCycles } from "./call-cycles.js";
import { refOf, type WrittenCall } from "./plan-call.js";

/** Reports names in `depends_on` that are not earlier calls, since calls are made in the order written. */
export function checkOrder(written: readonly WrittenCall[], cycles: CallCycles, report: Report): void {
  const refs = written.map(refOf);
  for (const [position, { config }] of written.entries()) {
    const ref = refs[position] ?? "";
    for (const dependency of config?.dependsOn ?? []) {
      const other = refs.indexOf(dependency.value);
      const [name, wanted] = [quote(ref), quote(dependency.value)];
      if (other === -1) {
        const message = `call ${name} depends on ${wanted}, which is not a call`;
        report.error("unknown-call", dependency.at, message, {
          label: "not a call of this handler",
          ...(correctName(
            dependency,
            refs.filter((_, index) => index !== position),
          ) ?? { hint: 'declare it under "calls", before this one' }),
        });
      } else if (other === position) {
        report.error("call-order", dependency.at, `call ${name} depends on itself`, {
          label: "the call itself",
          related: config ? [{ at: config.ref.at, text: "the call" }] : [],
          hint: 'remove it from "depends_on"',
        });
      } else if (other > position && !cycles.has(ref, dependency.value)) {
        const later = written[other]?.config?.ref.at;
        const message = `call ${name} depends on ${wanted}, which comes later`;
        report.error("call-order", dependency.at, message, {
          label: "not made yet at this point",
          related: later ? [{ at: later, text: "made here" }] : [],
          hint: `move ${wanted} before ${name}`,
        });
      }
    }
  }
}
