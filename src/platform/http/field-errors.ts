import type { FieldError } from "../problem.js";

/** A fault that a JSON Schema validator reports. */
export interface SchemaFault {
  readonly keyword?: string;
  /** `/definition/sources` */
  readonly instancePath: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly message?: string | undefined;
}

const mostFaults = 20;

/** The invalid fields of a request by their dotted names, up to a limit. */
export function fieldErrors(faults: readonly SchemaFault[]): readonly FieldError[] {
  return faults.slice(0, mostFaults).map(({ keyword, instancePath, params, message = "is not valid" }) => {
    const missing = keyword === "required" ? params?.missingProperty : undefined;
    const allowed = keyword === "enum" ? params?.allowedValues : undefined;
    const why = Array.isArray(allowed) ? `must be one of ${allowed.join(", ")}` : message;
    const field = [
      ...instancePath.split("/").slice(1).map(plain),
      ...(typeof missing === "string" ? [missing] : []),
    ].join(".");
    return { ...(field !== "" && { field }), message: missing === undefined ? why : "is required" };
  });
}

/** A part of a JSON pointer, unescaped. */
function plain(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
