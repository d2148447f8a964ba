import { AbiCoder, type EventFragment, keccak256, type ParamType, type Result } from "ethers";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { EthereumValue } from "../../../src/runtime/values.js";
import { propertyRun } from "../../support/property/property-run.js";
import { callPlanOf, planOf } from "./plans.js";

const coder = AbiCoder.defaultAbiCoder();

/** A type with a value of it, as ethers encodes it. */
interface Typed {
  readonly type: string;
  readonly value: unknown;
}

const hexOf = (length: number) =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`);
const bits = fc.integer({ min: 1, max: 32 }).map((bytes) => bytes * 8);

const scalar: fc.Arbitrary<Typed> = fc.oneof(
  hexOf(20).map((value) => ({ type: "address", value })),
  fc.boolean().map((value) => ({ type: "bool", value })),
  bits.chain((size) =>
    fc.bigInt({ min: 0n, max: 2n ** BigInt(size) - 1n }).map((value) => ({ type: `uint${size}`, value })),
  ),
  bits.chain((size) => {
    const half = 2n ** BigInt(size - 1);
    return fc.bigInt({ min: -half, max: half - 1n }).map((value) => ({ type: `int${size}`, value }));
  }),
  fc
    .integer({ min: 1, max: 32 })
    .chain((size) => hexOf(size).map((value) => ({ type: `bytes${size}`, value }))),
);
const dynamic: fc.Arbitrary<Typed> = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }).map((value) => ({ type: "string", value })),
  fc
    .integer({ min: 0, max: 70 })
    .chain(hexOf)
    .map((value) => ({ type: "bytes", value })),
);
const { any } = fc.letrec<{ any: Typed; list: Typed; tuple: Typed }>((tie) => ({
  any: fc.oneof({ depthSize: "small", withCrossShrink: true }, scalar, dynamic, tie("list"), tie("tuple")),
  list: fc
    .tuple(tie("any"), fc.integer({ min: 0, max: 3 }), fc.boolean())
    .map(([{ type, value }, count, fixed]) => ({
      type: `${type}[${fixed ? count + 1 : ""}]`,
      value: Array.from({ length: fixed ? count + 1 : count }, () => value),
    })),
  tuple: fc.array(tie("any"), { minLength: 1, maxLength: 3 }).map((parts) => ({
    type: `tuple(${parts.map(({ type }, index) => `${type} m${index}`).join(", ")})`,
    value: parts.map(({ value }) => value),
  })),
}));

/** What ethers makes of a value, in the runtime's form. */
function expected(type: ParamType, value: unknown): EthereumValue {
  if (type.isArray()) {
    const items = [...(value as Result)].map((item) => expected(type.arrayChildren, item));
    return { kind: type.arrayLength === -1 ? "array" : "fixedArray", value: items };
  }
  if (type.isTuple()) {
    const items = [...(value as Result)];
    return { kind: "tuple", value: type.components.map((part, index) => expected(part, items[index])) };
  }
  if (typeof value === "bigint") return { kind: type.type.startsWith("u") ? "uint" : "int", value };
  if (typeof value === "boolean") return { kind: "bool", value };
  const text = value as string;
  if (type.type === "string") return { kind: "string", value: text };
  if (type.type === "address") return { kind: "address", value: text.toLowerCase() };
  return { kind: type.type === "bytes" ? "bytes" : "fixedBytes", value: text };
}

const isScalar = ({ baseType }: ParamType): boolean =>
  !["array", "tuple", "string", "bytes"].includes(baseType);

/** A log of these values: indexed scalars as topics, of everything else that is indexed a hash. */
function logOf(fragment: EventFragment, values: readonly unknown[]) {
  const encoded = fragment.inputs.map((type, index) => coder.encode([type], [values[index]]));
  const topics = fragment.inputs.flatMap((type, index) => {
    const word = encoded[index] ?? "0x";
    return type.indexed ? [isScalar(type) ? word : keccak256(word)] : [];
  });
  const plain = fragment.inputs
    .map((type, index) => ({ type, value: values[index] }))
    .filter(({ type }) => !type.indexed);
  const data = coder.encode(
    plain.map(({ type }) => type),
    plain.map(({ value }) => value),
  );
  return { topics: [fragment.topicHash, ...topics], data, encoded };
}

test("logs decode as ethers decodes them", () => {
  const parameter = fc.record({ typed: fc.oneof(scalar, any), indexed: fc.boolean() });
  let onlyScalars = 0;
  fc.assert(
    fc.property(fc.array(parameter, { maxLength: 6 }), (parameters) => {
      let topics = 3;
      const list = parameters.map(({ typed, indexed }, index) => {
        const isIndexed = indexed && topics-- > 0;
        return `${typed.type}${isIndexed ? " indexed" : ""} p${index}`;
      });
      const plan = planOf(`event E(${list.join(", ")})`);
      const {
        topics: all,
        data,
        encoded,
      } = logOf(
        plan.fragment,
        parameters.map(({ typed }) => typed.value),
      );
      const wanted = plan.fragment.inputs.map((type, index) => {
        const own = encoded[index] ?? "0x";
        if (type.indexed && !isScalar(type)) return { kind: "fixedBytes", value: keccak256(own) };
        return expected(type, coder.decode([type], own)[0]);
      });
      if (plan.fragment.inputs.every(isScalar)) onlyScalars += 1;
      expect(plan.decode({ topics: all, data })).toEqual(
        wanted.map((value, index) => ({ name: `p${index}`, value })),
      );
    }),
    propertyRun(400),
  );
  expect(onlyScalars).toBeGreaterThan(50);
});

test("calls decode as ethers decodes them", () => {
  fc.assert(
    fc.property(fc.array(any, { maxLength: 4 }), fc.array(any, { maxLength: 3 }), (given, returned) => {
      const types = (list: readonly Typed[]) => list.map(({ type }, index) => `${type} p${index}`).join(", ");
      const plan = callPlanOf(`function f(${types(given)}) returns (${types(returned)})`);
      const { inputs, outputs } = plan.fragment;
      const input = coder.encode(
        inputs,
        given.map(({ value }) => value),
      );
      const output = coder.encode(
        outputs,
        returned.map(({ value }) => value),
      );
      const named = (list: readonly ParamType[], values: Result) =>
        list.map((type, index) => ({ name: type.name, value: expected(type, values[index]) }));
      expect(
        plan.decode({ input: `${plan.handler.selector}${input.slice(2)}`, output, transactionHash: "0x" }),
      ).toEqual({
        inputs: named(inputs, coder.decode(inputs, input)),
        outputs: named(outputs, coder.decode(outputs, output)),
      });
    }),
    propertyRun(200),
  );
});

test("the decoder decodes random data without an exception", () => {
  const data = fc.uint8Array({ maxLength: 300 }).map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`);
  const smallWords = fc
    .array(fc.integer({ min: 0, max: 200 }), { maxLength: 12 })
    .map((words) => `0x${words.map((word) => word.toString(16).padStart(64, "0")).join("")}`);
  fc.assert(
    fc.property(fc.array(any, { minLength: 1, maxLength: 3 }), fc.oneof(data, smallWords), (list, hex) => {
      const plan = planOf(`event E(${list.map(({ type }) => type).join(", ")})`);
      const decoded = plan.decode({ topics: [plan.fragment.topicHash], data: hex });
      if (decoded) expect(decoded.length).toBe(list.length);
    }),
    propertyRun(400),
  );
});
