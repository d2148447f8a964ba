import { countSeverities } from "../../compiler/diagnostics/count-severities.js";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import { renderText } from "../../compiler/diagnostics/render-text.js";

/** The errors of a configuration under development: in its text, and in the builds of its last edit. */
export class Mistakes {
  #ofText = "";
  readonly #ofBuilds = new Map<string, string>();

  /** Takes the diagnostics of the text; when it is valid, forgets the errors of earlier builds. */
  found(diagnostics: readonly Diagnostic[]): void {
    const isSound = countSeverities(diagnostics).errors === 0;
    this.#ofText = isSound ? "" : renderText(diagnostics, { color: false });
    if (isSound) this.#ofBuilds.clear();
  }

  /** Takes the error of a chain's build. @param lines safe to print */
  stopped(chain: string, lines: string): void {
    this.#ofBuilds.set(chain, lines);
  }

  /** All errors, in lines without colors; empty when there are none. */
  text(): string {
    const parts = [this.#ofText, ...this.#ofBuilds.values()];
    return parts
      .filter((part) => part !== "")
      .map((part) => part.trimEnd())
      .join("\n\n");
  }
}
