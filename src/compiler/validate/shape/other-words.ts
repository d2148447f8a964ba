import type { TreeNode } from "../../source/tree.js";

/** A synonym of a setting in manifests, other tools and libraries. */
interface OtherWord {
  /** Schema path of the kind of object that has the setting. */
  readonly home: string;
  readonly meant: string;
  /** Normalized: without case, hyphens and underscores. */
  readonly words: string;
  /** Whether a value is valid for the setting, so that the meaning is certain. */
  fits(value: TreeNode, context: WordContext): boolean;
}

/** Context for judging a value. */
export interface WordContext {
  /** The declared ABIs by name. */
  readonly abis: ReadonlyMap<string, unknown>;
  /** The names of the functions of an ABI, by its name. */
  functions(abi: string): ReadonlySet<string>;
}

const isObject = ({ kind }: TreeNode): boolean => kind === "object";
const isList = ({ kind }: TreeNode): boolean => kind === "array";
const isBoolean = ({ kind }: TreeNode): boolean => kind === "boolean";
const isText = ({ kind }: TreeNode): boolean => kind === "string";
const isName = (value: TreeNode): boolean => value.kind === "string" && /^[A-Za-z]/.test(value.value);
const isFile = (value: TreeNode): boolean => value.kind === "string" && /\.json$/.test(value.value);
const isBlock = (value: TreeNode): boolean =>
  value.kind === "number" || (value.kind === "string" && /^\d+$/.test(value.value));
const isAddress = (value: TreeNode): boolean =>
  value.kind === "string" && /^0x[0-9a-f]{40}$/i.test(value.value);
const isAbi = (value: TreeNode, { abis }: WordContext): boolean =>
  value.kind === "string" && abis.has(value.value);
const isContract = (value: TreeNode, context: WordContext): boolean =>
  isText(value) && !isAbi(value, context);
const isInstances = (value: TreeNode): boolean =>
  value.kind === "array" &&
  value.items.some(
    (item) => item.kind === "object" && item.members.some(({ key }) => /^(abi|address)$/.test(key.value)),
  );

const config = "#";
const instance = "#/$defs/instance";
const source = "#/$defs/source";
const enrich = "#/$defs/enrich";
const options = "#/$defs/enrich/properties/options";
const handler = "#/$defs/handler";
const call = "#/$defs/call";
const conditions = "#/$defs/call/properties/conditions";
const abi = "#/$defs/abi";
const item = "#/$defs/entityItem";

const contractWords = "contract contractaddress contractaddr addr deployedat";

/** The synonyms, for each object in order of precedence. */
const otherWords: readonly OtherWord[] = [
  { home: config, meant: "abis", words: "abi interfaces", fits: isObject },
  { home: config, meant: "instances", words: "datasources contracts sources", fits: isInstances },
  {
    home: config,
    meant: "enableCallHandlers",
    words: "callhandlers callhandler calls handlecalls indexcalls enablecalls",
    fits: isBoolean,
  },
  {
    home: instance,
    meant: "chain",
    words: "network networkname networkid chainname chainid blockchain",
    fits: (value) => isName(value) || isBlock(value),
  },
  { home: instance, meant: "address", words: contractWords, fits: isAddress },
  { home: instance, meant: "abi", words: "contract contractname abiname name interface", fits: isAbi },
  {
    home: instance,
    meant: "startBlock",
    words: "fromblock deployblock deploymentblock startblocknumber block blocknumber start from",
    fits: isBlock,
  },
  { home: instance, meant: "enrich", words: "enrichments enrichment", fits: isObject },
  { home: instance, meant: "source", words: "template factory creator createdby", fits: isObject },
  {
    home: source,
    meant: "eventSignature",
    words: "event signature eventname creationevent",
    fits: isText,
  },
  {
    home: source,
    meant: "addressParam",
    words: "param parameter addressparameter addressfield addressarg argument",
    fits: isText,
  },
  { home: source, meant: "abi", words: "contract factory name abiname contractname", fits: isAbi },
  { home: enrich, meant: "handlers", words: "eventhandlers events", fits: isObject },
  { home: options, meant: "debugging", words: "debug log logging verbose", fits: isBoolean },
  { home: handler, meant: "calls", words: "call contractcalls ethcalls reads", fits: isObject },
  { home: handler, meant: "entities", words: "entity", fits: isObject },
  {
    home: call,
    meant: "name",
    words: "method function functionname methodname fn func signature functionsignature call",
    fits: isText,
  },
  {
    home: call,
    meant: "params",
    words: "args arguments arg argument parameters param inputs input",
    fits: (value) => isText(value) || isList(value),
  },
  { home: call, meant: "abi", words: "contract contractname abiname interface", fits: isAbi },
  { home: call, meant: "source", words: `${contractWords} address target to`, fits: isContract },
  { home: call, meant: "depends_on", words: "depends dependencies requires after", fits: isList },
  { home: call, meant: "required", words: "isrequired mustsucceed", fits: isBoolean },
  { home: conditions, meant: "pre", words: "before precondition", fits: isText },
  { home: conditions, meant: "post", words: "after postcondition", fits: isText },
  { home: item, meant: "mapping", words: "fields values", fits: isObject },
  { home: abi, meant: "path", words: "file filepath filename source src location url", fits: isFile },
  { home: item, meant: "id", words: "entityid idsuffix", fits: isText },
];

/** Normalizes a name: without case, hyphens and underscores. */
export function bareWord(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, "");
}

/** The setting of an object that a wrong key certainly means. */
export function meantHere(
  key: string,
  value: TreeNode,
  home: string,
  context: WordContext,
): string | undefined {
  return otherWords.find((one) => one.home === home && hasWord(one.words, key) && one.fits(value, context))
    ?.meant;
}

/** Nested kinds of objects to which misplaced settings may belong. */
const inside: ReadonlyMap<string, readonly string[]> = new Map([
  [config, [instance]],
  [instance, [source, enrich]],
  [enrich, [options]],
  [call, [conditions]],
]);

/** The nested kind of object to which a wrong key belongs, and its setting there. */
export function meantInside(
  key: string,
  value: TreeNode,
  home: string,
  context: WordContext,
): { readonly home: string; readonly meant: string } | undefined {
  for (const inner of inside.get(home) ?? []) {
    const meant = meantHere(key, value, inner, context);
    if (meant !== undefined) return { home: inner, meant };
  }
  return undefined;
}

function hasWord(words: string, name: string): boolean {
  const word = bareWord(name);
  return word !== "" && ` ${words} `.includes(` ${word} `);
}
