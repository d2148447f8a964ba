import { type ToolCall, type ToolQuestion, ToolRefusal } from "./tool.js";

/**
 * Whether the user of an agent has agreed to a deployment: in a form, if the client can show one, and otherwise by way of
 * the argument `confirm`.
 * @param ids the deployment ids, which are hashes of all files
 * @param wish what is done, as a sentence without its end
 * @returns the question if the user is to be asked in a form; `undefined` if they have agreed
 * @throws ToolRefusal if the user has declined, or if agreement is missing and there is no form
 */
export function agreedTo(
  ids: string,
  confirm: string | undefined,
  wish: string,
  call: Pick<ToolCall, "canAsk" | "agreed">,
): ToolQuestion | undefined {
  if (call.canAsk) {
    const key = `deploy ${ids}`;
    const agreed = call.agreed(key);
    if (agreed === false) throw new ToolRefusal("The user has declined. Nothing was deployed.");
    return agreed ? undefined : { kind: "question", key, text: `${wish}?` };
  }
  if (confirm === ids) return undefined;
  const why =
    confirm === undefined
      ? "Nothing was deployed yet."
      : "Nothing was deployed: confirm is not the deployment id of this build, whose files may have changed.";
  throw new ToolRefusal(
    `${why} Ask the user: ${wish}? If they agree, call deploy again with confirm set to ${ids}.`,
  );
}
