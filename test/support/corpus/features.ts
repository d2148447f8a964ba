/** Features of an ABI that a compiler of subgraphs has to handle. */
export const features = [
  "tuple-in-event",
  "tuple-array-in-event",
  "matrix-in-event",
  "fixed-array-in-event",
  "event-overload",
  "anonymous-event",
  "indexed-dynamic-value",
  "unnamed-event-parameter",
  "reserved-event-parameter",
  "wide",
  "function-overload",
  "struct-input",
  "struct-output",
  "matrix-in-function",
  "fixed-array-in-function",
  "unnamed-function-parameter",
  "reserved-function-parameter",
] as const;

export type Feature = (typeof features)[number];

export interface AbiParameter {
  readonly name?: string;
  readonly type: string;
  readonly indexed?: boolean;
  readonly components?: readonly AbiParameter[];
}

export interface AbiEntry {
  readonly type: string;
  readonly name?: string;
  readonly anonymous?: boolean;
  readonly inputs?: readonly AbiParameter[];
  readonly outputs?: readonly AbiParameter[];
  readonly stateMutability?: string;
  readonly constant?: boolean;
}

/** About 15 parameters: the widest real event and the widest real function of the corpus have 14. */
const wide = 14;

/** Words that AssemblyScript refuses as parameter names, and names that collide with a base field of every entity. */
const reserved = new Set(
  (
    "await break case catch class const continue debugger delete do else enum export extends false finally for " +
    "function if implements import in instanceof interface let new null package private protected public return " +
    "static super switch this throw true try typeof var void while with yield async constructor default of " +
    "id timestamp blockNumber block_number transactionHash contractId"
  ).split(" "),
);

/** The features an ABI really has, in the order of the list above. */
export function featuresOf(abi: readonly AbiEntry[]): Feature[] {
  const events = abi.filter((entry) => entry.type === "event");
  const functions = abi.filter((entry) => entry.type === "function");
  const eventLeaves = events.flatMap((event) => flatten(event.inputs));
  const functionLeaves = functions.flatMap((f) => [...flatten(f.inputs), ...flatten(f.outputs)]);
  const eventInputs = events.flatMap((event) => event.inputs ?? []);
  const functionInputs = functions.flatMap((f) => f.inputs ?? []);
  const functionOutputs = functions.flatMap((f) => f.outputs ?? []);
  const present: Record<Feature, boolean> = {
    "tuple-in-event": eventInputs.some(({ type }) => type.startsWith("tuple")),
    "tuple-array-in-event": eventLeaves.some(({ type }) => type.startsWith("tuple[")),
    "matrix-in-event": eventLeaves.some(isMatrix),
    "fixed-array-in-event": eventLeaves.some(isFixedArray),
    "event-overload": overloaded(events),
    "anonymous-event": events.some((event) => event.anonymous === true),
    "indexed-dynamic-value": eventInputs.some(
      (p) => p.indexed && (p.type === "string" || p.type === "bytes"),
    ),
    "unnamed-event-parameter": eventInputs.some(isUnnamed),
    "reserved-event-parameter": eventLeaves.some(isReserved),
    wide: [...events, ...functions].some(({ inputs }) => (inputs?.length ?? 0) >= wide),
    "function-overload": overloaded(functions),
    "struct-input": functionInputs.some(({ type }) => type.startsWith("tuple")),
    "struct-output": functionOutputs.some(({ type }) => type.startsWith("tuple")),
    "matrix-in-function": functionLeaves.some(isMatrix),
    "fixed-array-in-function": functionLeaves.some(isFixedArray),
    "unnamed-function-parameter": functionInputs.some(isUnnamed),
    "reserved-function-parameter": functionLeaves.some(isReserved),
  };
  return features.filter((feature) => present[feature]);
}

function flatten(parameters: readonly AbiParameter[] = []): AbiParameter[] {
  return parameters.flatMap((parameter) => [parameter, ...flatten(parameter.components)]);
}

function overloaded(entries: readonly AbiEntry[]): boolean {
  return new Set(entries.map(({ name }) => name)).size < entries.length;
}

const isMatrix = ({ type }: AbiParameter): boolean => type.includes("][");
const isFixedArray = ({ type }: AbiParameter): boolean => /\[\d+\]/.test(type);
const isUnnamed = ({ name }: AbiParameter): boolean => (name ?? "") === "";
const isReserved = ({ name }: AbiParameter): boolean => reserved.has(name ?? "");
