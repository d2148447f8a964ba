import type { Location } from "../source/source.js";
import type { Code } from "./catalog.js";
import type { Details, Diagnostic, Severity } from "./diagnostic.js";

/** Collects findings while the phases run, so that one run reports everything it knows. */
export class Report {
  readonly #found: Diagnostic[] = [];
  #errors = 0;

  /** Something that makes the configuration unusable. */
  error(code: Code, at: Location | undefined, message: string, details: Details = {}): void {
    this.#add("error", code, at, message, details);
  }

  /** Something that works but is probably not meant. */
  warning(code: Code, at: Location | undefined, message: string, details: Details = {}): void {
    this.#add("warning", code, at, message, details);
  }

  /** Something the user should know, such as a field that got another name. */
  note(code: Code, at: Location | undefined, message: string, details: Details = {}): void {
    this.#add("note", code, at, message, details);
  }

  /** True as soon as one error was reported: a phase that needs sound input must not run. */
  get failed(): boolean {
    return this.#errors > 0;
  }

  /** How many errors there are. */
  get errorCount(): number {
    return this.#errors;
  }

  /** Whether there is an error of another kind than these. */
  failedBeyond(codes: ReadonlySet<Code>): boolean {
    return this.#found.some(({ severity, code }) => severity === "error" && !codes.has(code));
  }

  /** Everything reported, ordered by source and position, the order a reader works through a file. */
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
