import type { ts } from "ts-morph";
import type { BoundParameter } from "../abi/bound-abi.js";
import { capitalize } from "../abi/parameter-names.js";
import { isHashedWhenIndexed, type SolidityType } from "../abi/solidity-type.js";
import type { Handler } from "../model/handler.js";
import { isWrapper } from "../syntax/member-path.js";
import { pathOf } from "../syntax/paths.js";
import { typescript } from "../syntax/typescript.js";

/** The Solidity type of a value from the trigger or a call; `undefined` for other parts. */
export function solidityOf(node: ts.Expression, handler: Handler): SolidityType | undefined {
  if (isWrapper(node) && !isCast(node)) return solidityOf(node.expression, handler);
  if (typescript.isElementAccessExpression(node)) {
    const list = solidityOf(node.expression, handler);
    return list?.kind === "array" ? list.of : undefined;
  }
  const access = typescript.isCallExpression(node) ? node.expression : node;
  if (!typescript.isPropertyAccessExpression(access)) return undefined;
  const { name, expression: object } = access;
  if (access === node) {
    const members = membersOf(pathOf(object), handler);
    if (members) return members.find((member) => member.name === name.text)?.type;
  }
  const struct = solidityOf(object, handler);
  if (struct?.kind !== "tuple") return undefined;
  return struct.components.find((component, at) =>
    access === node
      ? component.name === name.text || `value${at}` === name.text
      : name.text === `get${capitalize(component.name || `value${at}`)}`,
  )?.type;
}

function isCast(node: ts.Node): boolean {
  return typescript.isAsExpression(node) || typescript.isTypeAssertionExpression(node);
}

interface Member {
  readonly name: string;
  readonly type: SolidityType;
}

/** The members of `event.params`, `call.inputs`, `call.outputs` and `calls`. */
function membersOf(path: string, { trigger, enrichment }: Handler): readonly Member[] | undefined {
  if (path === "calls") {
    return enrichment?.calls.map(({ ref, method: { outputs } }) => ({ name: ref, type: resultOf(outputs) }));
  }
  if (trigger.kind === "event") {
    return path === "event.params"
      ? trigger.bound.params.filter(({ type, indexed }) => !(indexed && isHashedWhenIndexed(type)))
      : undefined;
  }
  if (path === "call.inputs") return trigger.bound.inputs;
  return path === "call.outputs" ? trigger.bound.outputs : undefined;
}

/** The type of a call's result. Several outputs read like a struct. */
function resultOf(outputs: readonly BoundParameter[]): SolidityType {
  const [only] = outputs;
  if (only && outputs.length === 1) return only.type;
  return { kind: "tuple", components: outputs };
}
