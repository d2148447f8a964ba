import { InternalError, present } from "../../base/invariant.js";
import { fitsI32, type SolidityType } from "./solidity-type.js";

/**
 * The AssemblyScript type that holds a Solidity value: `BigInt`, `Array<Address>`, `Array<SwapKeyStruct>`.
 * @param structClass the class of the tuple, for tuples and lists of them
 */
export function assemblyType(type: SolidityType, structClass?: string): string {
  switch (type.kind) {
    case "address":
      return "Address";
    case "bool":
      return "boolean";
    case "string":
      return "string";
    case "bytes":
    case "fixedBytes":
      return "Bytes";
    case "int":
      return fitsI32(type) ? "i32" : "BigInt";
    case "array":
      return `Array<${assemblyType(type.of, structClass)}>`;
    case "tuple":
      return present(structClass, "a tuple has no class");
    case "unsupported":
      throw new InternalError(`a binding was asked for the type ${type.text}`);
  }
}
