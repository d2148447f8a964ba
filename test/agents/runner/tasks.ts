import { deployTag } from "../tasks/deploy-tag/check.js";
import { enrichEvent } from "../tasks/enrich-event/check.js";
import { explainValue } from "../tasks/explain-value/check.js";
import { findHistory } from "../tasks/find-history/check.js";
import { findOption } from "../tasks/find-option/check.js";
import { migrateGoldsky } from "../tasks/migrate-goldsky/check.js";
import { nameBreaking } from "../tasks/name-breaking/check.js";
import { pipelinePostgres } from "../tasks/pipeline-postgres/check.js";
import { planRun } from "../tasks/plan-run/check.js";
import { queryAtBlock } from "../tasks/query-at-block/check.js";
import { repairAbi } from "../tasks/repair-abi/check.js";
import { repairCall } from "../tasks/repair-call/check.js";
import { repairDuplicate } from "../tasks/repair-duplicate/check.js";
import { repairEvent } from "../tasks/repair-event/check.js";
import { repairExpression } from "../tasks/repair-expression/check.js";
import { runHandWritten } from "../tasks/run-hand-written/check.js";
import { verifyRows } from "../tasks/verify-rows/check.js";
import { writeFactory } from "../tasks/write-factory/check.js";
import { writeTest } from "../tasks/write-test/check.js";
import { writeToken } from "../tasks/write-token/check.js";
import type { Task } from "./task.js";

/** All tasks, in the order in which they are listed. */
export const tasks: readonly Task[] = [
  writeToken,
  writeFactory,
  repairEvent,
  repairCall,
  repairExpression,
  repairAbi,
  repairDuplicate,
  enrichEvent,
  explainValue,
  queryAtBlock,
  findHistory,
  planRun,
  nameBreaking,
  pipelinePostgres,
  verifyRows,
  migrateGoldsky,
  runHandWritten,
  deployTag,
  findOption,
  writeTest,
];
