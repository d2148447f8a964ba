import { isRecord, parseJson } from "../../base/text/json-value.js";
import { visible } from "../../base/text/visible.js";
import { readSettingsFile } from "../../machine/files/settings-file.js";
import type { KafkaLogin } from "../../pipelines/host/flink/flink-place.js";
import { UsageError } from "../terminal/usage/usage-error.js";

type Logins = ReadonlyMap<string, KafkaLogin>;

const form = '{"<project id>": {"user": "…", "password": "…"}}';

/**
 * The logins of projects for Kafka, from a file. It is read again for each request, so that a new project needs no
 * restart; while it cannot be read, the earlier logins stay valid.
 * @param warn receives a sentence if it cannot be read
 * @throws UsageError if it cannot be read now. No message shows its content
 */
export function openKafkaLogins(
  path: string,
  warn: (sentence: string) => void,
): (project: string) => KafkaLogin | undefined {
  let logins = loginsIn(path);
  return (project) => {
    try {
      logins = loginsIn(path);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      warn(`${error.message} The logins stay as they were.`);
    }
    return logins.get(project);
  };
}

/** @throws UsageError */
function loginsIn(path: string): Logins {
  const fail = (what: string): never => {
    throw new UsageError(`--flows: logins=${visible(path)}: ${what}.`);
  };
  const read = readSettingsFile(path);
  const content = "why" in read ? fail(read.why) : parseJson(read.text);
  if (!isRecord(content)) return fail(`the file is not an object of the form ${form}`);
  return new Map(
    Object.entries(content).map(([project, login]) => {
      const { user, password } = isRecord(login) ? login : {};
      if (typeof user !== "string" || user === "" || typeof password !== "string" || password === "")
        return fail(`project ${visible(project)} has no user and password; the form is ${form}`);
      return [project, { user, password }];
    }),
  );
}
