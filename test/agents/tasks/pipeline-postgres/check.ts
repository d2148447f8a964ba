import { chainFacts, contracts } from "../../runner/chain.js";
import { mustValidate, printedRows, sinksOf } from "../../runner/pipelines.js";
import { type Task, Unsolved } from "../../runner/task.js";

const until = 8_214_420;
const large = 10n ** 19n;

export const pipelinePostgres: Task = {
  id: "pipeline-postgres",
  async check(place) {
    const file = "large-transfers.yaml";
    await mustValidate(place, file);
    const tables = sinksOf(place, file).filter(({ type }) => type === "postgres");
    const [sink] = tables;
    if (!sink || tables.length > 1) throw new Unsolved(`it has ${tables.length} sinks of the type postgres`);
    if (sink.table !== "large_transfers") return `the table is ${sink.table}`;
    if (sink.secret_name !== "WAREHOUSE") return `the secret is ${sink.secret_name}`;
    const rows = await printedRows(place, file);
    const transfers = await chainFacts(place).events("Token", "Transfer", until, contracts.weth);
    const wanted = transfers
      .filter(({ params }) => BigInt(String(params.value)) > large)
      .map(({ block, params }) => `${block} ${params.from} ${params.to} ${params.value}`);
    const found = rows.map((row) => `${row.block_number} ${row.sender} ${row.recipient} ${row.amount}`);
    if (found.length !== wanted.length) return `it writes ${found.length} rows instead of ${wanted.length}`;
    const missing = wanted.toSorted().find((row, index) => found.toSorted()[index] !== row);
    return missing === undefined ? undefined : `it does not write the row ${missing}`;
  },
};
