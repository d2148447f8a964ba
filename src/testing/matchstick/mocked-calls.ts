import { DeterministicError } from "../../runtime/errors.js";
import type { EthereumValue } from "../../runtime/values.js";
import { fits, parameterType, splitTypes, valueWithKind } from "./parameter-types.js";

/** A call of a contract's function, as mocked and as made by a handler. */
export interface MockableCall {
  readonly address: string;
  readonly name: string;
  /** `balanceOf(address):(uint256)` */
  readonly signature: string;
  readonly args: readonly EthereumValue[];
}

/** The functions of contracts that a test has mocked. */
export class MockedCalls {
  readonly #answers = new Map<string, readonly EthereumValue[] | undefined>();

  /**
   * Mocks a function.
   * @param returned `undefined` for a call that reverts
   * @throws DeterministicError when the arguments do not fit the signature
   */
  mock(call: MockableCall, returned: readonly EthereumValue[] | undefined): void {
    checkArguments(call);
    this.#answers.set(callKey(call), returned);
  }

  /** The answer to a call; `undefined` when it reverts. @throws DeterministicError when it is not mocked */
  answer(call: MockableCall): readonly EthereumValue[] | undefined {
    const key = callKey(call);
    if (this.#answers.has(key)) return this.#answers.get(key);
    const { address, name, signature, args } = call;
    throw new DeterministicError(
      `Could not find a mocked function with the following parameters, address: ${address}, name: ${name}, signature ${signature}, params: [${args.map(valueWithKind).join(", ")}].`,
    );
  }
}

function checkArguments({ name, signature, args }: MockableCall): void {
  if (signature.split("(")[0] !== name) {
    throw new DeterministicError(
      `createMockedFunction: function name \`${name}\` should match the name in the function signature \`${signature}\``,
    );
  }
  const types = splitTypes(inputsOf(signature.slice(name.length)));
  if (types.length !== args.length) {
    throw new DeterministicError(`${name} expected ${types.length} arguments, but received ${args.length}`);
  }
  for (const [index, type] of types.entries()) {
    const argument = args[index];
    if (argument && fits(argument, parameterType(type))) continue;
    throw new DeterministicError(
      `createMockedFunction \`${name}\` parameters mismatch at position ${index + 1}:\nExpected: ${type}\nReceived: ${argument ? valueWithKind(argument) : "nothing"}`,
    );
  }
}

/** The text between the first parenthesis and its counterpart. */
function inputsOf(text: string): string {
  let depth = 0;
  for (const [at, character] of [...text].entries()) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (depth === 0 && at > 0) return text.slice(1, at);
  }
  return text.slice(1);
}

/** Calls with the same key are the same. As in matchstick, a signed and an unsigned integer of the same bits are equal. */
function callKey({ address, name, signature, args }: MockableCall): string {
  return JSON.stringify([address, name, signature, args.map(keyOfValue)]);
}

function keyOfValue(value: EthereumValue): unknown {
  switch (value.kind) {
    case "int":
    case "uint":
      return `number ${BigInt.asUintN(256, value.value)}`;
    case "bool":
      return value.value;
    case "string":
      return `string ${value.value}`;
    case "address":
    case "bytes":
    case "fixedBytes":
    case "function":
      return value.value;
    default:
      return value.value.map(keyOfValue);
  }
}
