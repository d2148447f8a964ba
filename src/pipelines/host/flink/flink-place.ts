import { isRecord, parseJson } from "../../../base/text/json-value.js";

/** Where Flink is, and the Kafka of its topics. Both are the operator's, so pipelines do not choose them. */
export interface FlinkPlace {
  /** The address of Flink's SQL gateway, which may hold a password. */
  readonly gateway: string;
  /** The cluster of the topics, as the value of a secret of the type kafka. */
  readonly kafka: string;
}

/** A user of Kafka. */
export interface KafkaLogin {
  readonly user: string;
  readonly password: string;
}

/** The place of a server, which its projects share. */
export interface SharedFlinkPlace extends FlinkPlace {
  /** The login of a project, if each has its own; without it, all projects use that of the cluster. */
  loginOf?(project: string): KafkaLogin | undefined;
}

/** A place as a project uses it; `undefined` if projects have logins, and this one has none. */
export function placeOf(
  project: string,
  { gateway, kafka, loginOf }: SharedFlinkPlace,
): FlinkPlace | undefined {
  if (!loginOf) return { gateway, kafka };
  const login = loginOf(project);
  return login && { gateway, kafka: withLogin(kafka, login) };
}

/** The value of a secret of the type kafka, with another login. */
export function withLogin(kafka: string, { user, password }: KafkaLogin): string {
  const cluster = parseJson(kafka);
  return JSON.stringify({
    ...(isRecord(cluster) && cluster),
    saslJaasUsername: user,
    saslJaasPassword: password,
  });
}

/** What is said of a project that has no login. */
export const noLogin =
  "Flink cannot run pipelines of this project, since the project has no login for Kafka. Ask the operator of the server to add one, or let graphloom run the pipeline: --engine graphloom.";
