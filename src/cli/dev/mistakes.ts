import { countSeverities } from "../../compiler/diagnostics/count-severities.js";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import { renderText } from "../../compiler/diagnostics/render-text.js";

/** What is wrong with a configuration that is being written: in its text, and with the builds of its last edit. */
export class Mistakes {
  #ofText = "";
  readonly #ofBuilds = new Map<string, string>();

  /** Takes what was found in the text; mistakes of builds before do not count any more when it is sound. */
  found(diagnostics: readonly Diagnostic[]): void {
    const isSound = countSeverities(diagnostics).errors === 0;
    this.#ofText = isSound ? "" : renderText(diagnostics, { color: false });
    if (isSound) this.#ofBuilds.clear();
  }

  /** Takes what is wrong with the build of a chain. @param lines safe to print */
  stopped(chain: string, lines: string): void {
    this.#ofBuilds.set(chain, lines);
  }

  /** Everything, in lines without colours; empty when nothing is wrong. */
  text(): string {
    const parts = [this.#ofText, ...this.#ofBuilds.values()];
    return parts
      .filter((part) => part !== "")
      .map((part) => part.trimEnd())
      .join("\n\n");
  }
}
