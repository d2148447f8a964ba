import type { DesiredStatus, PipelineInfo, SentDefinition } from "../../api/pipeline-operations.js";
import { visible } from "../../base/text/visible.js";
import { openSession, type RemoteArguments, type Session } from "../remote/session.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { reportingMistakes } from "./apply-pipeline.js";
import { type DefinitionFile, readDefinitionFile } from "./definition-file.js";
import { type DefinitionPlace, placeOfDefinition } from "./place-of-definition.js";
import { type DocumentFormat, infoText, printValue } from "./show-pipelines.js";

/** Arguments of `pipeline create` and `pipeline update`. */
export interface OptionArguments extends RemoteArguments, Omit<DefinitionPlace, "configPath"> {
  readonly name: string;
  readonly output?: DocumentFormat | undefined;
  readonly resourceSize?: string | undefined;
  readonly description?: string | undefined;
  readonly status?: DesiredStatus | undefined;
  readonly var?: readonly string[] | undefined;
  readonly color: boolean;
}

/** Creates a pipeline that does not exist yet; returns the exit code. */
export async function createPipeline(args: OptionArguments, terminal: Terminal): Promise<number> {
  const file = await definitionGiven(args, terminal);
  if (!file) return exitCodes.diagnostics;
  const session = await openSession(args, terminal);
  return reportingMistakes(file, args, terminal, () =>
    apply(session, args, { ...sent(file), create: true }, terminal),
  );
}

/** Changes a pipeline as the options say; returns the exit code. */
export async function updatePipeline(args: OptionArguments, terminal: Terminal): Promise<number> {
  const { name, definition, definitionPath, resourceSize, status, description } = args;
  const isNamed = definition !== undefined || definitionPath !== undefined;
  if (!isNamed && resourceSize === undefined && status === undefined && description === undefined)
    throw new UsageError("Specify what to change, or change the file and run graphloom pipeline apply.");
  if (isNamed) {
    const file = await definitionGiven(args, terminal);
    if (!file) return exitCodes.diagnostics;
    const session = await openSession(args, terminal);
    // Only a pipeline that exists is changed.
    await session.pipelines.describe(name);
    return reportingMistakes(file, args, terminal, () => apply(session, args, sent(file), terminal));
  }
  const session = await openSession(args, terminal);
  const { text, variables } = await session.pipelines.describe(name);
  return apply(session, args, { text, variables }, terminal);
}

async function definitionGiven(
  { name, definition, definitionPath, var: given = [] }: OptionArguments,
  terminal: Terminal,
): Promise<DefinitionFile | undefined> {
  if (definition === undefined && definitionPath === undefined && /\.(?:ya?ml|json)$/i.test(name))
    throw new UsageError(
      `${visible(name)} is a file, not a name. To apply it: graphloom pipeline apply ${visible(name)}`,
    );
  const place = placeOfDefinition({ definition, definitionPath }, terminal);
  return readDefinitionFile(place.path, given, place.terminal);
}

function sent({ source, variables }: DefinitionFile): SentDefinition {
  return { text: source.text, variables };
}

async function apply(
  { pipelines }: Session,
  { name, resourceSize, description, status, output }: OptionArguments,
  definition: SentDefinition & { readonly create?: boolean },
  terminal: Terminal,
): Promise<number> {
  const { change, pipeline } = await pipelines.apply(name, {
    ...definition,
    ...(resourceSize !== undefined && { resource_size: resourceSize }),
    ...(description !== undefined && { description }),
    ...(status !== undefined && { status }),
  });
  if (output === undefined) terminal.out(`${said[change]} ${visible(name)}, version ${pipeline.version}.\n`);
  else print(pipeline, output, terminal);
  return exitCodes.clean;
}

const said = { created: "Created", updated: "Updated", unchanged: "Nothing to change in" } as const;

function print(pipeline: PipelineInfo, output: DocumentFormat, terminal: Terminal): void {
  if (output === "table") terminal.out(infoText(pipeline));
  else printValue(pipeline, output, terminal);
}
