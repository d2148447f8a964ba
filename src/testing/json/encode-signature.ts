import { EventFragment, FunctionFragment, type ParamType } from "ethers/abi";
import { keccak256 } from "ethers/crypto";
import { toUtf8Bytes } from "ethers/utils";
import { encodeValues } from "../../runtime/abi/encode-value.js";
import type { EthereumValue } from "../../runtime/values.js";
import type { JsonTree } from "../../runtime/wasm/json.js";
import { JsonTestError, type MockedCall, type MockedEvent } from "./json-test.js";
import { readValue } from "./read-value.js";

/** The longest signature that is read. */
const longest = 10_000;

/** The topics and the data of the log of an event. @throws JsonTestError */
export function encodeEvent({ event, params }: Pick<MockedEvent, "event" | "params">): {
  readonly topics: readonly string[];
  readonly data: string;
} {
  const signature = event.trim().replace(/^event\s+|\s+anonymous$/g, "");
  const { inputs, topicHash } = parsed(event, "Transfer(address indexed from, uint256 value)", () =>
    EventFragment.from(`event ${signature}`),
  );
  const topics = [topicHash];
  const data: EthereumValue[] = [];
  for (const input of inputs) {
    const given = params.get(input.name);
    if (given === undefined) {
      const which =
        input.name === "" ? "a parameter has no name in" : `the parameter ${input.name} is missing for`;
      throw new JsonTestError(`${upper(which)} ${event}.`);
    }
    const value = readValue(input, given, `${input.name} of ${event}`);
    if (input.indexed) topics.push(topicOf(value, input, event));
    else data.push(value);
  }
  return { topics, data: encoded(data, event) };
}

function topicOf(value: EthereumValue, { name }: ParamType, event: string): string {
  if (value.kind === "bytes") return keccak256(value.value);
  if (value.kind === "string") return keccak256(toUtf8Bytes(value.value));
  if (value.kind === "array" || value.kind === "fixedArray" || value.kind === "tuple") {
    throw new JsonTestError(
      `${name} of ${event} is indexed, but tests cannot write lists and structs as topics.`,
    );
  }
  return encoded([value], event);
}

/**
 * The data of a mocked call and its return data; no `returned` if it reverts.
 * @throws JsonTestError
 */
export function encodeCall({ function: text, params, returns, reverts }: MockedCall): {
  readonly data: string;
  readonly returned: string | undefined;
} {
  const { inputs, outputs, selector } = parsed(text, "balanceOf(address):(uint256)", () =>
    FunctionFragment.from(solidity(text)),
  );
  const data = selector + encodeAll(inputs, params, "params", text).slice(2);
  return { data, returned: reverts ? undefined : encodeAll(outputs, returns, "returns", text) };
}

/**
 * The manifest's form `symbol():(string)` in Solidity's; `symbol()(string)` comes from gnd's documentation.
 */
function solidity(signature: string): string {
  const text = signature.trim().replace(/^function\s+/, "");
  return `function ${text.replace(/\)\s*:?\s*\((?!.*\breturns\b)/, ") returns (")}`;
}

function encodeAll(
  types: readonly ParamType[],
  values: readonly JsonTree[],
  what: string,
  signature: string,
): string {
  if (types.length !== values.length) {
    throw new JsonTestError(`${signature} has ${types.length} ${what}, but the test gives ${values.length}.`);
  }
  const read = types.map((type, index) =>
    readValue(type, values[index] as JsonTree, `${what}[${index}] of ${signature}`),
  );
  return encoded(read, signature);
}

function encoded(values: readonly EthereumValue[], signature: string): string {
  const found = encodeValues(values);
  if (found === undefined) throw new JsonTestError(`The values of ${signature} cannot be encoded.`);
  return found;
}

function parsed<T>(signature: string, example: string, parse: () => T): T {
  if (signature.length > longest) throw new JsonTestError("A signature is too long.");
  try {
    return parse();
  } catch {
    // The library's reason repeats the signature, and adds nothing else.
    throw new JsonTestError(`${signature} is not a signature such as ${example}.`);
  }
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
