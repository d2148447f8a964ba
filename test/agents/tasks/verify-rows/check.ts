import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { answerOf } from "../../runner/answer.js";
import { graphloom, graphloomJson } from "../../runner/product.js";
import type { Task } from "../../runner/task.js";

export const verifyRows: Task = {
  id: "verify-rows",
  async prepare(place) {
    const { code, err } = await graphloom(place, ["pipeline", "run", "moves.yaml"]);
    if (code !== 0) throw new Error(`the pipeline ended with ${code}: ${err}`);
    await damageRow(join(place.work, "moves.duckdb"));
  },
  async check(place) {
    const { block } = answerOf(place, ["block"]);
    const args = ["pipeline", "verify", "moves.yaml", "--format", "json"];
    const { sinks } = (await graphloomJson(place, args, [0, 4])) as Verified;
    const damaged = sinks.flatMap(({ rows }) => rows.first.map(({ key }) => key.block_number));
    if (damaged.length !== 1) return `${damaged.length} rows of the table are damaged, not one as before`;
    return String(block) === damaged[0] ? undefined : `the row of block ${block} is as it should be`;
  },
};

interface Verified {
  readonly sinks: readonly {
    readonly rows: { readonly first: readonly { readonly key: { readonly block_number: string } }[] };
  }[];
}

/** Changes the amount of one row in the middle. */
async function damageRow(path: string): Promise<void> {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  try {
    const middle = "select id from moves order by block_number, id offset 100 limit 1";
    const [row] = (await connection.runAndReadAll(middle)).getRowObjects();
    if (!row) throw new Error("the pipeline has written too few rows");
    await connection.run(`update moves set amount = '1' where id = '${row.id}'`);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
