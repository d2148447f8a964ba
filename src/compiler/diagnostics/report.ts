import type { Location } from "../source/source.js";
import type { Code } from "./catalog.js";
import type { Details, Diagnostic, Severity } from "./diagnostic.js";

/** Collects diagnostics across the phases, so that one run reports everything. */
export class Report {
  readonly #found: Diagnostic[] = [];
  #errors = 0;

  /** Reports a fault that makes the configuration unusable. */
  error(code: Code, at: Location | undefined, message: string, details: Details = {}): void {
    this.#add("error", code, at, message, details);
  }

  /** Reports something that works but is probably unintended. */
  warning(code: Code, at: Location | undefined, message: string, details: Details = {}): void {
    this.#add("warning", code, at, message, details);
  }

  /** Reports a fact that the user should know, such as a renamed field. */
  note(code: Code, at: Location | undefined, message: string, details: Details = {}): void {
    this.#add("note", code, at, message, details);
  }

  /** Whether an error was reported; then phases that need valid input must not run. */
  get failed(): boolean {
    return this.#errors > 0;
  }

  get errorCount(): number {
    return this.#errors;
  }

  /** Whether there is an error with any other code. */
  failedBeyond(codes: ReadonlySet<Code>): boolean {
    return this.#found.some(({ severity, code }) => severity === "error" && !codes.has(code));
  }

  /** All diagnostics, ordered by source and position. */
  get diagnostics(): readonly Diagnostic[] {
    const firstSeen = new Map<string, number>();
    for (const { at } of this.#found) {
      if (at && !firstSeen.has(at.source.path)) firstSeen.set(at.source.path, firstSeen.size);
    }
    const rank = (d: Diagnostic): number => (d.at ? (firstSeen.get(d.at.source.path) ?? 0) : -1);
    return this.#found.toSorted((a, b) => rank(a) - rank(b) || (a.at?.start ?? 0) - (b.at?.start ?? 0));
  }

  #add(severity: Severity, code: Code, at: Location | undefined, message: string, details: Details): void {
    if (severity === "error") this.#errors += 1;
    this.#found.push({
      code,
      severity,
      message,
      ...(at && { at }),
      ...(details.label !== undefined && { label: details.label }),
      related: details.related ?? [],
      notes: details.notes ?? [],
      ...(details.hint !== undefined && { hint: details.hint }),
      ...(details.fix !== undefined && { fix: details.fix }),
    });
  }
}
