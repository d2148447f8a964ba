import type { EventFragment, Interface, ParamType } from "ethers";
import type { ContractCall } from "../../compiler/behaviour/played-contracts.js";
import { checkedArgument, type EthereumValue } from "./ethereum-values.js";
import type { DecodedParameter } from "./trigger-writer.js";

/**
 * Evaluates a declared call of a manifest, such as `ERC20[event.address].balanceOf(event.params.owner)`, by
 * graph-node's grammar.
 */
export function declaredCall(
  text: string,
  address: string,
  { inputs }: EventFragment,
  parameters: readonly DecodedParameter[],
  abiOf: (name: string) => Interface,
): ContractCall {
  const [, abi = "", target = "", name = "", list = ""] =
    /^([^[]+)\[([^\]]+)\]\.([^(]+)\((.*)\)$/.exec(text) ?? [];
  const evaluate = (expression: string): EthereumValue => {
    if (/^0x[0-9a-fA-F]{40}$/.test(expression)) return { kind: "ADDRESS", value: expression.toLowerCase() };
    if (expression === "event.address") return { kind: "ADDRESS", value: address };
    const [event, params, parameter, ...members] = expression.split(".");
    const at = inputs.findIndex((input) => input.name === parameter && input.name !== "");
    const found = parameters[at];
    if (event !== "event" || params !== "params" || !found) throw new Error(`${text}: ${expression}`);
    return memberOf(inputs[at] as ParamType, found.value, members);
  };
  // graph-node uses the first function of that name.
  const fn = abiOf(abi.trim()).fragments.find((f) => f.type === "function" && "name" in f && f.name === name);
  const fragment = fn && abiOf(abi.trim()).getFunction(fn.format("sighash"));
  if (!fragment) throw new Error(`${text}: no function ${name}`);
  const args = list.trim() === "" ? [] : list.split(",").map((argument) => evaluate(argument.trim()));
  const contract = evaluate(target);
  if (contract.kind !== "ADDRESS") throw new Error(`${text}: ${target} is not an address`);
  return {
    address: contract.value as string,
    signature: fragment.format("sighash"),
    args: fragment.inputs.map((type, i) => checkedArgument(type, args[i] as EthereumValue, text)),
  };
}

function memberOf(type: ParamType, value: EthereumValue, [name, ...rest]: readonly string[]): EthereumValue {
  if (name === undefined) return value;
  const at = type.components?.findIndex((component) => component.name === name) ?? -1;
  const position = at === -1 ? Number(name) : at;
  const component = type.components?.[position];
  if (!component || value.kind !== "TUPLE") throw new Error(`${type.format()} has no member ${name}`);
  return memberOf(component, (value.value as readonly EthereumValue[])[position] as EthereumValue, rest);
}
