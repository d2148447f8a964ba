import { doerOf } from "../../http/doer-of.js";
import { goneOf } from "../../http/limits/gone-of.js";
import { compareDefinition } from "../../pipelines/compare-definition.js";
import { applyPipeline } from "../../pipelines/manage-pipelines.js";
import { findPipelineVersion, type PipelineVersion } from "../../pipelines/pipeline-rows.js";
import type { Pipelines } from "../../pipelines/pipelines.js";
import { Problem } from "../../problem.js";
import type { Content, PageScope, Visit } from "../page-scope.js";
import { textOfVariables, variablesIn } from "./definition-text.js";
import { type DefinitionFields, type DefinitionForm, definitionForm } from "./pipeline-form.js";
import { pipelineOf, titled } from "./pipeline-visit.js";
import { pipelinePageOf } from "./pipeline-words.js";
import { type ToldChanges, toldChanges, toldText } from "./told-changes.js";

const newAddress = "/new-pipeline";
const editAddress = "/pipelines/:name/edit";

/** A definition to start from. */
const sample = `name: transfers
sources:
  transfers:
    type: dataset
    dataset_name: base.erc20_transfers
    start_at: latest
transforms:
  large:
    sql: SELECT id, sender, recipient, amount FROM transfers WHERE amount > 1000000
    primary_key: id
sinks:
  dropped:
    type: blackhole
    from: large
`;

/** Adds the forms that create a pipeline, and that change its definition. */
export function addPipelineForms(pages: PageScope, pipelines: Pipelines): void {
  pages.get(newAddress, "Editor", async () =>
    newForm({ text: sample, size: "", variables: "", description: "", from: "" }),
  );
  pages.post(newAddress, "Editor", async (visit) => {
    const fields = fieldsOf(visit);
    return apply(pipelines, visit, { isNew: true }, fields, (problem) => newForm(fields, problem));
  });

  pages.get(editAddress, "Editor", async (visit) => {
    const { name, version } = await editedOf(pipelines, visit);
    const told = version.document.description;
    return editForm(name, version, {
      text: version.definition,
      size: "",
      variables: textOfVariables(version.variables),
      description: version.description === told ? "" : (version.description ?? ""),
      from: String(version.version),
    });
  });
  pages.post(editAddress, "Editor", async (visit) => {
    const { name, version } = await editedOf(pipelines, visit);
    const fields = fieldsOf(visit);
    const again = (problem: Problem): Content =>
      editForm(name, version, { ...fields, from: String(version.version) }, { problem });
    if (fields.from !== String(version.version)) {
      const now = `"${name}" has version ${version.version} now, saved by someone else. Save again to replace it with your text.`;
      return refused(visit, new Problem("conflict", now), again);
    }
    const shown = (told: ToldChanges): Content => editForm(name, version, fields, { told });
    return apply(pipelines, visit, { name, shown }, fields, again);
  });
}

async function editedOf(
  pipelines: Pipelines,
  visit: Visit,
): Promise<{ readonly name: string; readonly version: PipelineVersion }> {
  const row = await pipelineOf(pipelines, visit);
  const version = await findPipelineVersion(pipelines.platform.database, row, row.version);
  if (!version) throw new Problem("not-found", `"${row.name}" has no version to change.`);
  return { name: row.name, version };
}

/** What a definition applies to. */
interface Change {
  readonly name?: string;
  readonly isNew?: boolean;
  /** The form with the effects on sinks, to show before applying; absent for a new pipeline. */
  readonly shown?: (told: ToldChanges) => Content;
}

/** Applies the submitted definition. A refusal is shown with the form, so that the user's input is not lost. */
async function apply(
  pipelines: Pipelines,
  visit: Visit,
  { name, isNew, shown }: Change,
  { text, size, variables, description }: DefinitionFields,
  again: (problem: Problem) => Content,
): Promise<string | Content> {
  const values = variablesIn(variables);
  if (typeof values === "string") return refused(visit, new Problem("bad-request", values), again);
  const definition = { text, variables: values };
  try {
    const named = { project: visit.caller.project, name: name ?? "" };
    const told =
      shown && toldChanges(await compareDefinition(pipelines, named, definition, {}, goneOf(visit.request)));
    const onChange = visit.form.get("on_change") ?? "";
    const isTold = told && (visit.form.get("told") ?? "").replaceAll("\r\n", "\n") === toldText(told);
    if (told && (!isTold || (told.anew.length > 0 && !isChoice(onChange)))) return shown(told);
    const { pipeline } = await applyPipeline(pipelines, doerOf(visit.request), {
      ...(name !== undefined && { name }),
      ...(isNew !== undefined && { isNew }),
      ...(told && isChoice(onChange) && { begins: onChange }),
      definition,
      size: size === "" ? undefined : size,
      description: description === "" ? undefined : description,
      signal: goneOf(visit.request),
    });
    return pipelinePageOf(pipeline);
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    return refused(visit, error, again);
  }
}

/** Whether a form says what to do with sinks that cannot continue. */
function isChoice(text: string): boolean {
  return text === "settle" || text === "recreate";
}

function refused({ reply }: Visit, problem: Problem, again: (problem: Problem) => Content): Content {
  reply.status(problem.status);
  return again(problem);
}

function fieldsOf({ form }: Visit): DefinitionFields {
  // Browsers send line breaks as two characters.
  const typed = (name: string): string => (form.get(name) ?? "").replaceAll("\r\n", "\n");
  return {
    text: typed("text"),
    size: typed("size"),
    variables: typed("variables"),
    description: typed("description").trim(),
    from: typed("from"),
  };
}

function newForm(fields: DefinitionFields, problem?: Problem): Content {
  return {
    title: "New pipeline",
    trail: [["Pipelines", "/pipelines"]],
    body: definitionForm({ fields, action: newAddress, word: "Create pipeline", usual: "s", problem }),
  };
}

function editForm(
  name: string,
  { size }: PipelineVersion,
  fields: DefinitionFields,
  rest: Pick<DefinitionForm, "told" | "problem"> = {},
): Content {
  const action = `${pipelinePageOf({ name })}/edit`;
  return {
    ...titled({ name }, "definition"),
    body: definitionForm({ fields, action, word: "Save", usual: size, ...rest }),
  };
}
