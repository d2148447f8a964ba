import { corpus, loadAbi } from "../../support/corpus/corpus.js";
import type { JsonEntry, JsonParameter } from "../abi/abi-of.js";

/** A contract interface for generated configurations. */
export interface KnownAbi {
  readonly name: string;
  readonly text: string;
  /** The entries that can have a handler. */
  readonly events: readonly JsonEntry[];
  readonly functions: readonly JsonEntry[];
  /** Functions that return a value. */
  readonly reads: readonly JsonEntry[];
}

/** Small and large interfaces, old and new, plain and odd. */
const ids = [
  "oz4-ERC20Votes",
  "oz4-ERC721Votes",
  "uni2-UniswapV2Factory",
  "uni2-UniswapV2Pair",
  "uni3-UniswapV3Factory",
  "uni3-UniswapV3Pool",
  "zrx-WETH9",
  "sushi-MasterChef",
  "nouns-NounsToken",
  "safe-ProxyFactory130",
  "safe-Safe141",
  "aave2-LendingPool",
  "link4-LinkToken",
  "link8-LogEmitter",
  "curve-Tricrypto2",
  "curve-FactoryCrypto",
  "sablier-SablierV2LockupDynamic",
  "aa-EntryPoint",
  "made-keywords",
  "made-nested",
  "made-note",
];

/** The contract interfaces of generated configurations. */
export const known: readonly KnownAbi[] = corpus
  .filter(({ id }) => ids.includes(id))
  .map((entry) => {
    const abi = loadAbi(entry) as unknown as readonly JsonEntry[];
    const functions = abi.filter(({ type }) => type === "function");
    return {
      name: entry.id,
      text: JSON.stringify(abi),
      events: abi.filter(isDeliverable),
      functions,
      reads: functions.filter(({ outputs }) => (outputs ?? []).length > 0),
    };
  });

/** The ABI files that the configurations refer to. */
export const abiFiles: Readonly<Record<string, string>> = Object.fromEntries(
  known.map(({ name, text }) => [`abis/${name}.json`, text]),
);

function isDeliverable(entry: JsonEntry): boolean {
  const isAnonymous = "anonymous" in entry && entry.anonymous === true;
  const hasStructTopic = entry.inputs?.some(({ indexed, type }) => indexed && type.startsWith("tuple"));
  return entry.type === "event" && !isAnonymous && !hasStructTopic;
}

const typeOf = ({ type, components }: JsonParameter): string =>
  type.startsWith("tuple") ? `(${(components ?? []).map(typeOf).join(",")})${type.slice(5)}` : type;

/** The plain form, without `indexed` and names. */
export function signature(entry: JsonEntry): string {
  return `${entry.name}(${(entry.inputs ?? []).map(typeOf).join(",")})`;
}
