import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * The project that `graph init --index-events` scaffolds for an ABI, by path.
 * @param graphCli the folder of the package
 */
export async function scaffold(graphCli, name, abiFile) {
  const load = (path) => import(pathToFileURL(join(graphCli, "dist", path)));
  const { default: Protocol } = await load("protocols/index.js");
  const { default: ABI } = await load("protocols/ethereum/abi.js");
  const { default: Scaffold } = await load("scaffold/index.js");
  const tree = await new Scaffold({
    protocol: new Protocol("ethereum"),
    abi: ABI.load(name, abiFile),
    contract: `0x${"99".repeat(20)}`,
    network: "mainnet",
    contractName: name,
    startBlock: "1",
    subgraphName: name,
    node: "http://127.0.0.1",
    indexEvents: true,
  }).generate();
  return new Map(
    Object.entries(tree).flatMap(([path, content]) =>
      content !== null && typeof content === "object"
        ? Object.entries(content).map(([inner, text]) => [`${path}/${inner}`, text])
        : [[path, content]],
    ),
  );
}

/** Writes a project where the peer's tools can build it. */
export function writeScaffold(files, folder, nodeModules) {
  for (const [path, text] of files) {
    if (!/^(?:src|abis)\/|\.yaml$|\.graphql$/.test(path)) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  symlinkSync(nodeModules, join(folder, "node_modules"));
}

const renamed = {
  blockNumber: "block_number",
  blockTimestamp: "timestamp_",
  transactionHash: "transactionHash_",
};

/**
 * The same scaffold with the fields of another schema: their names and types, each filled the way the scaffold's own
 * author would. Fields it does not have, which is the contract's address, are added.
 * @param schema the text of the other schema, which has a type for every event
 */
export function withFieldsOf(schema, files) {
  const [ours, theirs] = [fieldTypes(schema), fieldTypes(files.get("schema.graphql"))];
  const mapping = [...files.keys()].find((path) => path.startsWith("src/"));
  let entity = "";
  const lines = files
    .get(mapping)
    .replaceAll(/=\n\s+/g, "= ")
    .split("\n")
    .flatMap((line) => {
      entity = /let entity = new (\w+)/.exec(line)?.[1] ?? entity;
      if (/^\s*entity\.save\(\)/.test(line)) {
        return ["  entity.contractId_ = event.address.toHexString()", line];
      }
      return [
        line.replace(/entity\.(\w+) = (.*)$/, (_, field, value) => {
          const name = renamed[field] ?? field;
          return `entity.${name} = ${converted(value, theirs[entity][field], ours[entity][name])}`;
        }),
      ];
    });
  const id = 'event.transaction.hash.toHexString() + "-" + event.logIndex.toString()';
  const text = lines
    .join("\n")
    .replaceAll(/event\.transaction\.hash\.concatI32\(event\.logIndex\.toI32\(\)\)/g, id);
  return new Map([...files, ["schema.graphql", schema], [mapping, text]]);
}

/** The value of a field as another type: bytes as text. */
function converted(value, from, to) {
  if (from === "Bytes!" && to === "String!") return `${value}.toHexString()`;
  if (from !== "[Bytes!]!" || to !== "[String!]!") return value;
  const list = value.replace(/^changetype<Bytes\[\]>\((.*)\)$/, "$1");
  return `${list}.map<string>((item) => item.toHexString())`;
}

/** Types of fields by entity and field. */
function fieldTypes(schema) {
  const found = {};
  for (const [, name, body] of schema.matchAll(/type (\w+) @entity[^{]*\{([^}]*)\}/g)) {
    const fields = [...body.matchAll(/^\s*(\w+): ([^\s#@]+)/gm)];
    found[name] = Object.fromEntries(fields.map(([, field, type]) => [field, type]));
  }
  return found;
}

/** The events of an ABI in its order. */
export function eventsOf(abiFile) {
  const parsed = JSON.parse(readFileSync(abiFile, "utf8"));
  return (Array.isArray(parsed) ? parsed : parsed.abi).filter(
    ({ type, anonymous }) => type === "event" && !anonymous,
  );
}
