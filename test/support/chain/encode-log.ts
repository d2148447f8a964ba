import { AbiCoder, concat, Interface, id, keccak256, type ParamType } from "ethers";

const coder = AbiCoder.defaultAbiCoder();
const isHashed = (type: ParamType): boolean =>
  type.isArray() || type.isTuple() || type.type === "bytes" || type.type === "string";

/** Topics and data of an event, by Solidity's specification. */
export function encodeLog(abi: readonly string[], event: string, values: readonly unknown[]) {
  const fragment = new Interface(abi).getEvent(event);
  if (!fragment) throw new Error(`no event ${event}`);
  const at = (indexed: boolean) =>
    fragment.inputs
      .map((type, i) => ({ type, value: values[i] }))
      .filter(({ type }) => Boolean(type.indexed) === indexed);
  const topics = at(true).map(({ type, value }) => topicOf(type, value));
  const data = coder.encode(
    at(false).map(({ type }) => type),
    at(false).map(({ value }) => value),
  );
  return { topics: [fragment.topicHash, ...topics], data };
}

/** The topic of an indexed value: the value itself, or the hash of its in-place encoding. */
export function topicOf(type: ParamType, value: unknown): string {
  if (!isHashed(type)) return coder.encode([type], [value]);
  if (type.type === "string") return id(value as string);
  if (type.type === "bytes") return keccak256(value as string);
  if (!type.isArray()) throw new Error("graph-node does not deliver indexed structs");
  return keccak256(concat((value as unknown[]).map((item) => coder.encode([type.arrayChildren], [item]))));
}
