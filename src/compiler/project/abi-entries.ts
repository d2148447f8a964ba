/** An ABI file as graph-cli reads it: entries with types as text. */
export interface RawAbi {
  /** The entries as in the file; the build gets a copy of them. */
  readonly json: readonly unknown[];
  readonly entries: readonly RawEntry[];
  /** The path from the root of the file to the list of entries. */
  readonly path: readonly string[];
}

export interface RawEntry {
  readonly index: number;
  readonly type: string | undefined;
  readonly name: string;
  readonly inputs: readonly RawParameter[] | undefined;
  readonly outputs: readonly RawParameter[] | undefined;
  readonly stateMutability: unknown;
  readonly constant: unknown;
  readonly payable: unknown;
}

export interface RawParameter {
  readonly name: string;
  readonly type: string;
  readonly indexed: boolean;
  readonly components: readonly RawParameter[] | undefined;
}

/**
 * The entries of an ABI file: a list, an artifact of Hardhat, Foundry or Truffle with a list under `abi`, or one
 * of 0x with a list under `compilerOutput.abi`.
 * @param json the parsed file
 * @returns `undefined` if the file has no such list
 */
export function readEntries(json: unknown): RawAbi | undefined {
  for (const path of [[], ["abi"], ["compilerOutput", "abi"]]) {
    const list = path.reduce<unknown>((value, key) => memberOf(value, key), json);
    if (Array.isArray(list)) return { json: list, entries: list.map(readEntry), path };
  }
  return undefined;
}

function readEntry(entry: unknown, index: number): RawEntry {
  const type = memberOf(entry, "type");
  return {
    index,
    type: typeof type === "string" ? type : undefined,
    name: stringOrEmpty(memberOf(entry, "name")),
    inputs: readParameters(memberOf(entry, "inputs")),
    outputs: readParameters(memberOf(entry, "outputs")),
    stateMutability: memberOf(entry, "stateMutability"),
    constant: memberOf(entry, "constant"),
    payable: memberOf(entry, "payable"),
  };
}

function readParameters(list: unknown): readonly RawParameter[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return list.map((parameter) => ({
    name: stringOrEmpty(memberOf(parameter, "name")),
    type: stringOrEmpty(memberOf(parameter, "type")),
    indexed: Boolean(memberOf(parameter, "indexed")),
    components: readParameters(memberOf(parameter, "components")),
  }));
}

export function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}

function stringOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Whether a call handler can listen to an entry, in graph-cli's view. */
export function isCallFunction({ type, stateMutability, constant }: RawEntry): boolean {
  const isFunction = type === undefined || ["constructor", "function", "fallback"].includes(type);
  return (
    isFunction && (stateMutability === "nonpayable" || stateMutability === "payable" || constant === false)
  );
}

/** Whether the contract class has a method for an entry, in graph-cli's view. */
export function isCallableFunction({ type, outputs, stateMutability, payable }: RawEntry): boolean {
  if (type !== "function" || outputs === undefined || outputs.length === 0) return false;
  if (stateMutability === undefined) return !payable;
  return ["view", "pure", "nonpayable", "constant"].includes(String(stateMutability));
}

/** The name of an entry's call class before numbering overloads. */
export function callName({ name, type }: RawEntry): string {
  return name || (type === "constructor" ? "constructor" : "default");
}
