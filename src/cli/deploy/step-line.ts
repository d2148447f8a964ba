import type { DeployOptions } from "../../deploy/deploy-all.js";
import type { DeployRequest } from "../../deploy/target.js";

type Step = Parameters<NonNullable<DeployOptions["onStep"]>>[1];

const words: Readonly<Record<Step["step"], string>> = {
  asking: "checking whether it is deployed",
  uploading: "uploading",
  deploying: "deploying",
  tagging: "tagging",
};

/** Formats a step of a deployment as a line. */
export function stepLine({ name, version }: DeployRequest, step: Step): string {
  const done =
    step.step === "uploading" && step.total > 0 ? ` ${Math.floor((step.done / step.total) * 100)} %` : "";
  return `${name}/${version}: ${words[step.step]}${done}`;
}
