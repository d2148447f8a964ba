import { pipelinesReading } from "./pipelines/pipeline-rows.js";
import type { References } from "./subgraphs/references.js";
import { webhooksOf } from "./webhooks/webhooks.js";

const webhooksThatRefer: References = async (sql, version) =>
  (await webhooksOf(sql, version)).map((name) => `the webhook "${name}"`);

const pipelinesThatRefer: References = async (sql, version) =>
  (await pipelinesReading(sql, version)).map((name) => `the pipeline "${name}"`);

/** Everything besides tags that may refer to a version or a tag, which must then not be deleted. */
export const subgraphReferences: readonly References[] = [webhooksThatRefer, pipelinesThatRefer];
