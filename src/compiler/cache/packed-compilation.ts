import type { Compilation } from "../compilation.js";
import type { Diagnostic, Edit } from "../diagnostics/diagnostic.js";
import type { Origin } from "../emit/emitted-file.js";
import type { LocatedString } from "../source/source.js";
import { longestPacked, type PackedString, packString, unpackString } from "./packed-string.js";

/**
 * A compilation as plain data that Node's serializer accepts: maps, bytes and shared references, but no
 * functions.
 */
export interface PackedCompilation extends Omit<Compilation, "diagnostics" | "origins"> {
  readonly diagnostics: readonly PackedDiagnostic[];
  readonly origins: readonly (readonly [string, readonly PackedOrigin[]])[];
}

interface PackedDiagnostic extends Omit<Diagnostic, "fix"> {
  readonly fix?: readonly PackedEdit[];
}

type PackedEdit =
  | Exclude<Edit, { kind: "part" }>
  | (Omit<Extract<Edit, { kind: "part" }>, "of"> & { readonly of: PackedString });

interface PackedOrigin extends Omit<Origin, "expression"> {
  readonly expression: PackedString;
}

/** Packs a compilation; `undefined` if a string is too long to pack. */
export function packCompilation(compilation: Compilation): PackedCompilation | undefined {
  const { diagnostics, origins, ...rest } = compilation;
  if (stringsIn(compilation).some(({ value }) => value.length > longestPacked)) return undefined;
  const pack = sharing(packString);
  return {
    ...rest,
    diagnostics: diagnostics.map(({ fix, ...finding }) => ({
      ...finding,
      ...(fix && { fix: fix.map((edit) => (edit.kind === "part" ? { ...edit, of: pack(edit.of) } : edit)) }),
    })),
    origins: [...origins].map(([path, own]) => [
      path,
      own.map((origin) => ({ ...origin, expression: pack(origin.expression) })),
    ]),
  };
}

export function unpackCompilation({ diagnostics, origins, ...rest }: PackedCompilation): Compilation {
  const unpack = sharing(unpackString);
  return {
    ...rest,
    diagnostics: diagnostics.map(({ fix, ...finding }) => ({
      ...finding,
      ...(fix && {
        fix: fix.map((edit) => (edit.kind === "part" ? { ...edit, of: unpack(edit.of) } : edit)),
      }),
    })),
    origins: new Map(
      origins.map(([path, own]) => [
        path,
        own.map((origin) => ({ ...origin, expression: unpack(origin.expression) })),
      ]),
    ),
  };
}

function stringsIn({ diagnostics, origins }: Compilation): readonly LocatedString[] {
  return [
    ...diagnostics.flatMap(({ fix = [] }) => fix.flatMap((edit) => (edit.kind === "part" ? [edit.of] : []))),
    ...[...origins.values()].flatMap((own) => own.map(({ expression }) => expression)),
  ];
}

/** Memoizes a function, so that shared references stay shared. */
function sharing<From extends object, To>(change: (from: From) => To): (from: From) => To {
  const known = new Map<From, To>();
  return (from) => {
    const changed = known.get(from) ?? change(from);
    known.set(from, changed);
    return changed;
  };
}
