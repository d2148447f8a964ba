import { present } from "../../../base/invariant.js";
import type { BoundAbi, BoundMethod } from "../../abi/bound-abi.js";
import { decodeOutput, encode } from "./ethereum-value.js";
import type { Doc } from "./layout.js";
import {
  type ClassText,
  call,
  callWithList,
  literal,
  type MethodText,
  type Statement,
  statement,
  typeText,
} from "./syntax.js";

/** The class through which a mapping calls a contract. */
export function contractClass({ className, methods }: BoundAbi): ClassText {
  return {
    heading: `${className} extends ethereum.SmartContract`,
    fields: [],
    methods: [bind(className), ...methods.flatMap((method) => [plainMethod(method), tryMethod(method)])],
  };
}

function bind(className: string): MethodText {
  return {
    name: "static bind",
    parameters: [{ name: "address", type: "Address" }],
    returnType: className,
    body: [statement(["return ", call(`new ${className}`, [literal(className), "address"])])],
  };
}

/** The method that aborts the handler when the call reverts. */
function plainMethod(method: BoundMethod): MethodText {
  return {
    name: method.name,
    parameters: parametersOf(method),
    returnType: typeText(method.resultType),
    body: [callStatement("super.call", method), "", statement(["return ", result(method, "result")])],
  };
}

/** The `try_` method, whose result shows whether the call reverted. */
function tryMethod(method: BoundMethod): MethodText {
  return {
    name: method.tryName,
    parameters: parametersOf(method),
    returnType: { kind: "generic", name: "ethereum.CallResult", argument: typeText(method.resultType) },
    body: [
      callStatement("super.tryCall", method),
      "    if (result.reverted) {",
      statement("return new ethereum.CallResult()", 6),
      "    }",
      statement("let value = result.value"),
      statement(["return ", call("ethereum.CallResult.fromValue", [result(method, "value")])]),
    ],
  };
}

function parametersOf({ inputs }: BoundMethod) {
  return inputs.map(({ name, assemblyType }) => ({ name, type: typeText(assemblyType) }));
}

function callStatement(callee: string, { fn, signature, inputs }: BoundMethod): Statement {
  const args = inputs.map(({ name, type }) => encode(name, type));
  return statement(["let result = ", callWithList(callee, [literal(fn.name), literal(signature)], args)]);
}

/** The expression that converts a variable with a list of `ethereum.Value`s to a method's result. */
function result({ outputs, resultClass }: BoundMethod, variable: string): Doc {
  const values = outputs.map((output, at) => decodeOutput(`${variable}[${at}]`, output));
  const first = present(outputs[0], "a callable function has no output");
  if (resultClass === undefined) return present(values[0], "a callable function has no output");
  const made = call(`new ${resultClass}`, values);
  // Redundant, but graph-cli decides whether to cast by the first output alone.
  return first.type.kind === "tuple"
    ? call({ kind: "generic", name: "changetype", argument: resultClass }, [made])
    : made;
}
