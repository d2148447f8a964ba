import { keccak256, toUtf8Bytes } from "ethers";
import { randomOf } from "../../../support/pipelines/random.js";

/** A subgraph that does what the events of a chain tell it. */
export interface RandomSubgraph {
  readonly specVersion: string;
  readonly manifest: string;
  readonly schema: string;
  readonly abi: readonly object[];
  /** The events of each block, from the first on: in which contract, and with which data. */
  readonly blocks: readonly (readonly RandomEvent[])[];
}

export interface RandomEvent {
  /** The contract of the data sources, or the one of the template. */
  readonly emitter: "main" | "created";
  readonly topic: string;
  /** JSON. */
  readonly data: string;
}

export interface Emitters {
  readonly main: string;
  readonly created: string;
}

interface Field {
  readonly name: string;
  readonly kind: string;
  readonly isList: boolean;
}

interface EntityType {
  readonly name: string;
  readonly id: "String" | "Bytes" | "Int8";
  readonly use: "removed" | "nulled" | "immutable" | "timeseries";
  readonly fields: readonly Field[];
}

type Step = Readonly<Record<string, unknown>>;

const specVersions = [
  "0.0.2",
  "0.0.3",
  "0.0.4",
  "0.0.5",
  "0.0.6",
  "0.0.8",
  "1.0.0",
  "1.1.0",
  "1.2.0",
  "1.3.0",
  "1.4.0",
  "1.5.0",
];
const apiVersions = ["0.0.6", "0.0.7", "0.0.9"];
const texts = ["", "a", "Ünï", "💧", "line\nbreak", "x\u0000y", "0x00", '"'];

/** A random subgraph. The same seed gives the same one. */
export function randomSubgraph(seed: number, emitters: Emitters, blockCount: number): RandomSubgraph {
  return new Maker(seed, emitters).make(blockCount);
}

class Maker {
  readonly #seed: number;
  readonly #random: () => number;
  readonly #emitters: Emitters;
  readonly #specVersion: string;
  readonly #isNew: boolean;
  readonly #bearsFailures: boolean;
  readonly #hasSecondSource: boolean;
  readonly #types: readonly EntityType[];
  #lastId = 0;

  constructor(seed: number, emitters: Emitters) {
    this.#seed = seed;
    this.#random = randomOf(seed);
    this.#emitters = emitters;
    this.#specVersion = this.#one(specVersions);
    this.#isNew = specVersions.indexOf(this.#specVersion) >= specVersions.indexOf("1.1.0");
    this.#bearsFailures = this.#maybe(0.3);
    this.#hasSecondSource = this.#maybe(0.4);
    this.#types = [0, 1, 2, 3].slice(0, 1 + this.#below(4)).map((index) => this.#type(index));
  }

  make(blockCount: number): RandomSubgraph {
    const blockHandlers = this.#blockHandlers();
    const failsAt = this.#bearsFailures || this.#maybe(0.8) ? -1 : Math.floor(blockCount * 0.7);
    const blocks = Array.from({ length: blockCount }, (_, index) => this.#block(index, failsAt));
    return {
      specVersion: this.#specVersion,
      manifest: this.#manifest(blockHandlers),
      schema: this.#schema(blockHandlers !== ""),
      abi: [
        ...["Do", "Tell"].map((name) => ({
          type: "event",
          name: `${name}${this.#seed}`,
          anonymous: false,
          inputs: [{ name: "data", type: "bytes", indexed: false }],
        })),
        {
          type: "function",
          name: "height",
          stateMutability: "view",
          inputs: [],
          outputs: [{ name: "", type: "uint256" }],
        },
      ],
      blocks,
    };
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #maybe(chance: number): boolean {
    return this.#random() < chance;
  }

  #one<Item>(items: readonly Item[]): Item {
    return items[this.#below(items.length)] as Item;
  }

  #type(index: number): EntityType {
    const use = this.#one([
      "removed",
      "nulled",
      "immutable",
      ...(this.#isNew ? ["timeseries" as const] : []),
    ] as const);
    const id =
      use === "timeseries"
        ? "Int8"
        : this.#one(["String", "Bytes", ...(this.#isNew ? ["Int8" as const] : [])] as const);
    const kinds = ["String", "Int", "BigInt", "BigDecimal", "Boolean", "Bytes", "Colour", "T0"];
    if (this.#isNew) kinds.push("Int8", "Timestamp");
    const fields = Array.from({ length: 1 + this.#below(5) }, (_, at) => {
      const kind = this.#one(kinds);
      return { name: `f${at}`, kind, isList: kind !== "T0" && kind !== "Timestamp" && this.#maybe(0.2) };
    });
    // Others may refer to the first type.
    if (index === 0) return { name: "T0", id: "String", use: use === "timeseries" ? "nulled" : use, fields };
    return { name: `T${index}`, id, use, fields };
  }

  #schema(hasTicks: boolean): string {
    const types = this.#types.map(({ name, id, use, fields }) => {
      const how = {
        removed: "",
        nulled: "",
        immutable: "(immutable: true)",
        timeseries: "(timeseries: true)",
      }[use];
      const own = fields.map(
        ({ name: field, kind, isList }) => `  ${field}: ${isList ? `[${kind}!]` : kind}`,
      );
      const time = use === "timeseries" ? ["  timestamp: Timestamp!"] : [];
      const lines = [`  id: ${id === "String" ? "ID" : id}!`, ...time, "  n: BigInt!", ...own];
      const sums =
        use === "timeseries" && this.#maybe(0.7)
          ? `\ntype S${name} @aggregation(intervals: ["hour"], source: "${name}") {
  id: Int8!
  timestamp: Timestamp!
  sum: BigInt! @aggregate(fn: "sum", arg: "n")
}`
          : "";
      return `type ${name} @entity${how} {\n${lines.join("\n")}\n}${sums}`;
    });
    const ticks = hasTicks ? ["type Tick @entity {\n  id: ID!\n  n: BigInt!\n}"] : [];
    return ["enum Colour { RED GREEN }", ...types, ...ticks].join("\n");
  }

  #blockHandlers(): string {
    if (!this.#maybe(0.3)) return "";
    const isFiltered =
      specVersions.indexOf(this.#specVersion) >= specVersions.indexOf("0.0.8") && this.#maybe(0.7);
    const filter = this.#one(["{ kind: once }", "{ kind: polling, every: 4 }"]);
    return `      blockHandlers:
        - handler: handleBlock
${isFiltered ? `          filter: ${filter}\n` : ""}`;
  }

  #manifest(blockHandlers: string): string {
    const apiVersion = this.#one(apiVersions);
    const mapping = (event: string, handler: string, more = ""): string => `    mapping:
      kind: ethereum/events
      apiVersion: ${apiVersion}
      language: wasm/assemblyscript
      entities: [T0]
      abis:
        - name: E
          file: ./E.json
      file: ./mapping.wasm
      eventHandlers:
        - event: ${event}${this.#seed}(bytes)
          handler: ${handler}
${more}`;
    const source = (name: string, more: string): string => `  - kind: ethereum/contract
    name: ${name}
    network: mainnet
    source:
      abi: E
      address: "${this.#emitters.main}"
      startBlock: ${3 + this.#below(4)}
${mapping("Do", `handle${name}`, more)}`;
    return `specVersion: ${this.#specVersion}
${this.#bearsFailures ? "features: [nonFatalErrors]\n" : ""}schema:
  file: ./schema.graphql
dataSources:
${source("A", blockHandlers)}${this.#hasSecondSource ? source("B", "") : ""}templates:
  - kind: ethereum/contract
    name: T
    network: mainnet
    source:
      abi: E
${mapping("Tell", "handleT")}`;
  }

  #block(index: number, failsAt: number): readonly RandomEvent[] {
    const count = this.#one([0, 0, 1, 1, 2, 3]);
    const events = Array.from({ length: count }, () => this.#event());
    if (index === failsAt) events.push(this.#told("main", { A: [...this.#steps(), { do: "fail" }] }));
    return events;
  }

  #event(): RandomEvent {
    if (this.#maybe(0.15)) return this.#told("created", { T: this.#steps() });
    const steps = this.#steps();
    if (this.#bearsFailures && this.#maybe(0.15))
      steps.splice(this.#below(steps.length + 1), 0, { do: "fail" });
    if (this.#maybe(0.1)) steps.push({ do: "create", address: this.#emitters.created });
    return this.#told("main", { A: steps, ...(this.#hasSecondSource && { B: this.#steps() }) });
  }

  #told(emitter: "main" | "created", parts: Readonly<Record<string, readonly Step[]>>): RandomEvent {
    const name = emitter === "main" ? "Do" : "Tell";
    const topic = keccak256(toUtf8Bytes(`${name}${this.#seed}(bytes)`));
    return { emitter, topic, data: JSON.stringify(parts) };
  }

  #steps(): Step[] {
    return Array.from({ length: this.#below(4) }, () => this.#step());
  }

  #step(): Step {
    const type = this.#one(this.#types);
    const { use, name } = type;
    const isFresh = use === "immutable" || use === "timeseries";
    const id = use === "timeseries" ? "auto" : this.#id(type, isFresh ? ++this.#lastId : this.#below(4));
    if (use === "removed" && this.#maybe(0.25)) return { do: "remove", type: name, id };
    const how = isFresh ? "set" : this.#one(["set", "load", "load", "loadInBlock"]);
    const own = type.fields
      .filter(() => this.#maybe(0.6))
      .map((field) => this.#filled(field, use === "nulled"));
    const fields = [
      ["id", type.id, use === "timeseries" ? "1" : id],
      ["n", "BigInt", this.#text("BigInt")],
      ...own,
    ];
    return { do: how, type: name, id, fields, ...(this.#maybe(0.1) && { height: true }) };
  }

  #id({ id, name }: EntityType, number: number): string {
    if (id === "Int8") return `${number}`;
    return id === "Bytes" ? `0x0${number % 10}ab${`${number}`.padStart(4, "0")}` : `${name}-${number}`;
  }

  #filled({ name, kind, isList }: Field, mayBeNull: boolean): readonly unknown[] {
    if (mayBeNull && this.#maybe(0.2)) return [name, "null", ""];
    if (!isList) return [name, kind, this.#text(kind)];
    const items = Array.from({ length: this.#below(4) }, () => [kind, this.#text(kind)]);
    return [name, "list", items];
  }

  #text(kind: string): string {
    const digits = (most: number): string =>
      Array.from({ length: 1 + this.#below(most) }, () => this.#below(10)).join("");
    const sign = this.#one(["", "-"]);
    switch (kind) {
      case "Boolean":
        return this.#one(["true", "false"]);
      case "Int":
        return this.#one(["0", "-2147483648", "2147483647", sign + digits(9)]);
      case "Int8":
        return this.#one(["0", "9223372036854775807", sign + digits(18)]);
      case "Timestamp":
        return `${digits(9)}000000`;
      case "BigInt":
        return this.#one(["0", sign + digits(8), sign + digits(70)]);
      case "BigDecimal":
        return this.#one([
          "0",
          `${sign}${digits(12)}.${digits(12)}`,
          `${sign}${digits(10)}e-${digits(1)}`,
          `${sign}${digits(6)}000`,
        ]);
      case "Bytes":
        return `0x${this.#one(["", "00", "ff00", "0123456789abcdef0123"])}`;
      case "Colour":
        return this.#one(["RED", "GREEN"]);
      case "T0":
        return `T0-${this.#below(6)}`;
      default:
        return this.#one(texts);
    }
  }
}
