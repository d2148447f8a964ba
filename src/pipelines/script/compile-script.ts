import { uncapitalized } from "../../base/text/uncapitalized.js";
import { checkScript, type ScriptFault } from "./check-script.js";

export type ScriptLanguage = "typescript" | "javascript";

/** A script as JavaScript, or what keeps it from being used. */
export interface CompiledScript {
  readonly code: string;
  /** The source map of the code, as JSON. */
  readonly map: string;
  /** If there are any, the code is not to be run. */
  readonly faults: readonly ScriptFault[];
}

/** The most UTF-16 units that a script may have. */
const longest = 200_000;

/** Turns a script into JavaScript, and finds its mistakes. Types are not checked. */
export async function compileScript(text: string, language: ScriptLanguage): Promise<CompiledScript> {
  if (text.length > longest) return forbidden(`a script has at most ${longest} characters`);
  try {
    return await compile(text, language);
  } catch (error) {
    // The compiler calls itself for each level of the script until the stack is full.
    if (!(error instanceof RangeError)) throw error;
    return forbidden("the script is nested too deeply", "build deep values in a loop");
  }
}

async function compile(text: string, language: ScriptLanguage): Promise<CompiledScript> {
  // Loading TypeScript takes a while.
  const { typescript } = await import("../../compiler/syntax/typescript.js");
  const fileName = language === "typescript" ? "script.ts" : "script.js";
  const {
    outputText,
    sourceMapText = "",
    diagnostics = [],
  } = typescript.transpileModule(text, {
    fileName,
    reportDiagnostics: true,
    compilerOptions: {
      target: typescript.ScriptTarget.ES2022,
      module: typescript.ModuleKind.ESNext,
      alwaysStrict: true,
      sourceMap: true,
      allowJs: true,
    },
  });
  const last = Math.max(0, text.trimEnd().length - 1);
  const syntax = diagnostics.map(({ messageText, start = 0, length = 1 }): ScriptFault => {
    const message = typescript.flattenDiagnosticMessageText(messageText, " ").replace(/\.$/, "");
    // A missing part is reported at the end of the text.
    const from = Math.min(start, last);
    return {
      code: "script-syntax",
      message: uncapitalized(message),
      start: from,
      end: from + Math.max(1, length),
    };
  });
  if (syntax.length > 0) return { code: "", map: "", faults: syntax };
  const file = typescript.createSourceFile(fileName, text, typescript.ScriptTarget.ES2022, true);
  return { code: outputText, map: sourceMapText, faults: checkScript(typescript, file) };
}

/** A script that is refused as a whole. */
function forbidden(message: string, hint?: string): CompiledScript {
  const fault = { code: "script-forbidden" as const, message, ...(hint !== undefined && { hint }) };
  return { code: "", map: "", faults: [{ ...fault, start: 0, end: 0 }] };
}
