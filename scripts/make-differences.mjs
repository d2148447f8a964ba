// Writes the page of differences from graph-node: node scripts/make-differences.mjs
// The tests of recorded subgraphs read the table as well, so that no case may differ that the page does not name. A test
// holds the page against what this makes of the table.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const target = fileURLToPath(new URL("../docs/graph-node.md", import.meta.url));

const answers = "Answers to queries";
const indexing = "Indexing";
const missing = "What is not supported";
const newer = "Newer than the comparison";
const recording = "Differences of the recording";

const sections = [
  [answers, "In most of these, graph-node has an error where there is a sensible answer."],
  [indexing, "Entities, blocks and data sources are the same, except where noted."],
  [missing, "A deployment that needs one of these is refused with its reason."],
  [
    newer,
    "These rules are newer than the recordings. Unless the last column says otherwise, they are known from graph-node's source or release notes, and were not held against a running node.",
  ],
  [
    recording,
    "In these cases, the graph-node that was recorded was set up differently, or was caught at another moment.",
  ],
];

const allowedAfterRestart = "That graph-node had to be started again with a setting that allows them.";

/** The differences, in the order of the page. */
export const differences = [
  {
    section: answers,
    there: "An interface that no type implements: an internal error",
    here: "no entities",
    reason: "An empty list is what the query asks for.",
    cases: [{ name: "c7-interface-unused", where: "15 answers[2]" }],
  },
  {
    section: answers,
    there: "A type that is declared twice: an internal error, and indexing never begins",
    here: "the last declaration counts, and the deployment warns",
    reason: "The subgraph can be indexed.",
    cases: [{ name: "c7-dup-type" }],
  },
  {
    section: answers,
    there: "Ordered by the id of another entity, equal ones come in no order",
    here: "equal ones come in the order of their own ids",
    reason: "Pages do not repeat or miss entities.",
    cases: [
      { name: "c7-derived-interface", where: "15 answers[6]" },
      { name: "c10-queries", where: "15 answers[105]" },
    ],
  },
  {
    section: answers,
    there:
      "A filter lists a key twice, if a field has its name: `and`, `or`, `_change_block`, or `id_gt` beside `id`",
    here: "it lists each key once",
    reason: "No schema may repeat a key, so tools that make clients would refuse it.",
  },
  {
    section: answers,
    there: "An interface ordered by the id of another entity: an SQL error",
    here: "entities in that order",
    reason: "The query is valid.",
    cases: [{ name: "c10-queries", where: "15 answers[109]" }],
  },
  {
    section: answers,
    there: "Some messages end with graph-node's SQL or with the number of a request",
    here: "the message alone",
    reason: "Tables and counters of a server are not the client's concern.",
    cases: [
      { name: "c7-derived-interface", where: "15 answers[10]" },
      { name: "c10-queries", where: "15 answers[110]" },
    ],
  },
  {
    section: answers,
    there: "Entities of which no field is selected: an internal error",
    here: "empty objects",
    reason: "The client gets an answer.",
    cases: [{ name: "c10-queries", where: "15 answers[73]" }],
  },
  {
    section: answers,
    there: "A fragment that is not defined: the connection breaks",
    here: "an error that names the fragment",
    reason: "The client learns what to correct.",
    cases: [{ name: "c10-queries", where: "15 answers[82]" }],
  },
  {
    section: answers,
    there: "Entities of which only a fragment on another type is selected: an internal error",
    here: "empty objects",
    reason: "The client gets an answer.",
    cases: [{ name: "c10-queries", where: "15 answers[84]" }],
  },
  {
    section: answers,
    there: "A stored time from the year 10000 on: a store error",
    here: "the time",
    reason: "It was stored, so it can be read.",
    cases: [{ name: "d9-tsfar3", where: "21 answers[2]" }],
  },
  {
    section: answers,
    there:
      "Mistakes in the syntax of a full-text search, and at the end of an unfinished query, have its parsers' words",
    here: "other words",
    reason: "The parsers are others. What is refused is the same.",
  },
  {
    section: answers,
    there: "A repeated query about a block may show rows of before a reorganisation, from a cache",
    here: "the rows of the block's present branch",
    reason: "Rows of a replaced block are wrong.",
  },
  {
    section: indexing,
    there: "A file is handled with the first block after it was found",
    here: "it may be handled with the block in which it was found",
    reason: "The file is there already.",
    cases: [
      // Its answer to a query, and the number of entities.
      { name: "c8-file-good", where: /answers\[2\]|entityCount/ },
      { name: "d8-file-mwrite", where: "status" },
    ],
  },
  {
    section: indexing,
    there:
      "Whatever an Arweave gateway answers becomes the file, unless the status is 504: also an error page, or a note that the transaction is pending",
    here: "only an answer with status 200 is the file. After any other, the file is looked for again",
    reason: "The file of a transaction never changes, but an error page would stay for ever.",
  },
  {
    section: indexing,
    there: "The id of an Arweave file may be any web address, or lead out of the gateway's folder with `..`",
    here: "the id is looked for below the gateway's address, and redirects are followed only to the gateway's host and its subdomains",
    reason: "A mapping must not make a server fetch addresses of its own network.",
  },
  {
    section: indexing,
    there: "A file of Arweave whose length the gateway does not announce is never handled",
    here: "it is handled if it has at most 25 MiB",
    reason: "The file is there.",
  },
  {
    section: indexing,
    there: "`ipfs.cat` and `ipfs.getBlock` return null while the gateway cannot be reached",
    here: "the block waits for the gateway",
    reason: "What is indexed must not depend on a moment's outage.",
  },
  {
    section: indexing,
    there:
      "A source of the kind `subgraph` that is not deployed: the subgraph is accepted, and starts only after it was paused and resumed",
    here: "the subgraph is refused. If its source is deleted later, it waits, and continues when the source is deployed again",
    reason: "No one has to notice it and to restart the subgraph.",
  },
  {
    section: indexing,
    there:
      "After `graphman rewind` of a source of the kind `subgraph`, the composed subgraph keeps what it has from later blocks",
    here: "it goes back with its source, unless its graft or its pruned history keeps it",
    reason: "The source may have other entities in these blocks then.",
  },
  {
    section: indexing,
    there: "A source of the kind `subgraph` that has no block yet is not waited for",
    here: "it is waited for",
    reason: "Its first entities would never be handled.",
  },
  {
    section: indexing,
    there: "A source of the kind `subgraph` on another network: the subgraph never gets anything to index",
    here: "it is refused",
    reason: "The networks' blocks differ.",
  },
  {
    section: indexing,
    there:
      "Entities of a source of the kind `subgraph` are never handled if handlers of files write that type too",
    here: "the entities that handlers of the chain wrote are handled",
    reason: "graph-node's statement has a mistake in its syntax.",
  },
  {
    section: indexing,
    there: "After a value that cannot be written, the status names the block that a batch had come to",
    here: "it names the block that cannot be written",
    reason: "The size of batches depends on the machine.",
    cases: ["c9-xarraynull", "c9-xnullrequired", "c9-xenumbad", "c9-xscalarinarray"].map((name) => ({
      name,
      where: "status",
    })),
  },
  {
    section: indexing,
    there: "Block handlers with the filter `call` run before or after the other block handlers of a block",
    here: "they run before the others",
    reason: "In graph-node, it depends on which of its requests ends first.",
  },
  {
    section: indexing,
    there:
      "A handler without `receipt: true` may get the receipt that another event of the transaction needs",
    here: "it gets the receipt only if another handler of the same event needs it",
    reason: "In graph-node, it depends on the distance from the chain head.",
  },
  {
    section: indexing,
    there: "Handlers of two data sources that fail for one event: indexing stops without a failure",
    here: "the subgraph fails",
    reason: "The status shows what to correct.",
  },
  {
    section: indexing,
    there: "Data sources that a failed block created are stored",
    here: "they are not stored",
    reason: "Nothing else of a failed block is kept.",
  },
  {
    section: indexing,
    there: "A failure that is tried again has a message in its own words",
    here: "a message in other words, which names the entity and the field",
    reason: "Only the message differs.",
  },
  {
    section: indexing,
    there: "Each restart tries the block of a final failure again",
    here: "it is tried again when the subgraph is paused and resumed",
    reason: "It fails again, unless a node had sent wrong data.",
  },
  {
    section: indexing,
    there: "What a handler writes after `ipfs.map` exceeds a limit of writes",
    here: "it is written",
    reason: "The limit is meant for the callbacks.",
    cases: [{ name: "e6-map" }],
  },
  {
    section: indexing,
    there: "A call inside of one that reverted later triggers its call handler",
    here: "it triggers no handler",
    reason: "Nothing of the call stayed on the chain.",
  },
  {
    section: indexing,
    there: "A contract call that fails in words unknown to graph-node is tried again for ever",
    here: "it counts as reverted, if these are the words of a known node",
    reason: "Every node gives the same answer, so trying again cannot help.",
  },
  {
    section: indexing,
    there: "`loadRelated` over a list of references: an SQL error",
    here: "the entities",
    reason: "The field is declared like any other.",
  },
  {
    section: indexing,
    there: "Rows of an aggregation appear with the first block that graph-node reads after the interval",
    here: "they appear with the first block after the interval",
    reason: "Which blocks without events graph-node reads depends on its ranges.",
  },
  {
    section: indexing,
    there:
      "Whether a full-text search for `!word` finds an entity without text depends on what was written together",
    here: "it finds the entity",
    reason: "The size of batches depends on the machine.",
  },
  {
    section: indexing,
    there:
      "When all `endBlock`s have passed, created data sources may still handle some blocks, and all blocks once graph-node has been restarted",
    here: "indexing stops at the last `endBlock`",
    reason: "In graph-node, it depends on its ranges and restarts.",
  },
  {
    section: indexing,
    there:
      "A full-text search over several fields joins them in no order, which counts for `<->` and proximity",
    here: "it joins them in the order of the schema",
    reason: "graph-node's order differs from start to start.",
  },
  {
    section: indexing,
    there:
      "An entity that is written with the same values may get another version, if fields were set to null before",
    here: "it gets no new version",
    reason: "In graph-node, it depends on its cache of entities. Values are the same.",
  },
  {
    section: indexing,
    there: "A `BigDecimal` with 35 digits is stored so, and cut to 34 when it is read",
    here: "it is stored with 34 digits",
    reason: "Whether a handler reads it from the database or from a cache depends on the machine.",
  },
  {
    section: indexing,
    there: "`loadRelated` may still return an entity that an unwritten block has moved to another one",
    here: "it returns the entities as they are",
    reason: "Which blocks are written already depends on the machine.",
  },
  {
    section: indexing,
    there: "An event without `anonymous` in an ABI: the deployment is refused",
    here: "the event counts as not anonymous",
    reason: "Tools that write ABIs may leave it out.",
  },
  {
    section: indexing,
    there: "A chain that is younger than the reorganisation threshold may stop its subgraphs",
    here: "they go on",
    reason: "Every local chain is young.",
  },
  {
    section: indexing,
    there:
      "YAML whose keys are mappings: two keys with the same entries in another order are one key, so the text is refused",
    here: "they are two keys",
    reason: "The text has no two keys that are written alike.",
  },
  {
    section: indexing,
    there: "YAML that is a lone `:` is refused",
    here: "it is a mapping from null to null",
    reason: "YAML 1.2 allows empty keys and values.",
  },
  {
    section: missing,
    there: "Sources of the kinds `near`, `cosmos`, `substreams` and others",
    here: "sources of the kinds `ethereum` and `subgraph`, and templates of the kinds `file/ipfs` and `file/arweave`",
    reason: "Only nodes that answer Ethereum's JSON-RPC are read.",
  },
  {
    section: missing,
    there: "`apiVersion` from 0.0.1 on",
    here: "`apiVersion` from 0.0.5 on",
    reason: "Older compilers laid out objects in memory in another way.",
  },
  {
    section: missing,
    there: "`_logs` answers if the operator has set up a log store",
    here: "the answer of a graph-node without a log store",
    reason: "The logs are shown by `graphloom subgraph log` and on the dashboard.",
  },
  {
    section: newer,
    there: "`apiVersion: 0.0.10` with `ethereum.decodeParams` (graph-node 0.45)",
    here: "accepted and built. The function is declared if your graph-ts lacks it",
    reason: "It was held against a running graph-node 0.45, with 1,763 pairs of a type and data.",
  },
  {
    section: newer,
    there: "Handlers with one filter: if one of them wants receipts, all get them",
    here: "the same",
    reason: "graph-node's change is of June 2026.",
  },
  {
    section: newer,
    there: "A graft at a block before the first one of its base is refused",
    here: "the same",
    reason: "graph-node's change is of June 2026.",
  },
  {
    section: newer,
    there: "`StackUnderflow`, `StackOverflow` and `OpcodeNotFound` of Reth count as reverted",
    here: "the same",
    reason: "graph-node's change is of June 2026.",
  },
  {
    section: recording,
    there: "`ipfs.cat`, `ipfs.getBlock` and `ipfs.map` fail",
    here: "they work",
    reason: allowedAfterRestart,
    cases: ["c6-hcat", "c6-hcatabsent", "c6-hmap", "c6-hmapabsent", "c6-hmap-bad", "c6-hmapnocb"].map(
      (name) => ({ name }),
    ),
  },
  {
    section: recording,
    there: "Two sources with receipts: no block yet",
    here: "all blocks",
    reason: "It was recorded before graph-node had written a block.",
    cases: [{ name: "d5-receipt-two-sources" }],
  },
];

/** The page in Markdown. */
export function differencesPage() {
  const parts = sections.map(([title, about]) => {
    const rows = differences
      .filter(({ section }) => section === title)
      .map(({ there, here, reason }) => `| ${there} | ${here} | ${reason} |`);
    return `## ${title}\n\n${about}\n\n| graph-node | graphloom | why |\n|---|---|---|\n${rows.join("\n")}\n`;
  });
  return `# Where we differ from graph-node

graphloom answers queries and indexes subgraphs as graph-node does, in the same words. This page names the known exceptions.

It was compared with graph-node 0.44, with its changes until the end of June 2026, and with graph-node 0.45. Hundreds of subgraphs were indexed by both on one chain, with their entities, failures and answers. The tests of graphloom play them again, and fail if something differs that is not on this page.

A difference that you find and that is not listed here is a fault of graphloom. [Compare](compare-and-diff.md) shows where two endpoints differ.

${parts.join("\n")}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(target, differencesPage());
