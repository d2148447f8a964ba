import type { FlinkOptions } from "./flink-statements.js";

/** Options of statements with placeholders such as `${DB.password}` where addresses and secrets belong. */
export function placeholderOptions(
  options: Pick<FlinkOptions, "integers" | "jobName" | "isBounded">,
): FlinkOptions {
  return {
    ...options,
    topics: kafka("KAFKA"),
    kafka,
    jdbc: (secret) => ({
      url: `\${${secret}.url}`,
      user: `\${${secret}.user}`,
      password: `\${${secret}.password}`,
    }),
  };
}

function kafka(secret: string): readonly (readonly [string, string])[] {
  return [["properties.bootstrap.servers", `\${${secret}.brokers}`]];
}
