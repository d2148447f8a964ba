import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeAuthority } from "./certificates.js";
import { freePorts, type JavaProcess, runJava, startJava } from "./java-server.js";

/** A Kafka broker of its own for a test, initially without topics. */
export interface KafkaServer {
  /** `127.0.0.1:<port>`, without authentication. */
  readonly address: string;
  /** The same broker, for clients that log in. */
  readonly loginAddress: string;
  /** The same broker over TLS, with each of the given certificates. */
  readonly others: readonly string[];
  /** The same broker over TLS, and for clients that log in over TLS. Its certificate is for 127.0.0.1. */
  readonly encrypted: { readonly address: string; readonly loginAddress: string };
  /** The path of the certificate of the authority that has signed the broker's. */
  readonly authority: string;
  /** The users who may log in, by PLAIN or SCRAM. */
  readonly login: { readonly user: string; readonly password: string };
  /**
   * Lets a user do something.
   * @param options of the command `kafka-acls.sh`, without the address
   */
  grant(options: readonly string[]): void;
  /** Ends the broker at once. Its topics stay. */
  kill(): Promise<void>;
  /** Starts a broker that was ended, at the same address. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const login = { user: "loader", password: "a password" };
const clusterId = "MkU3OEVBNTcwNTJENDM2Qg";

/** How a broker differs from the usual one. */
export interface KafkaOptions {
  /**
   * Passwords of further users, who log in by PLAIN. With such users, those who log in may only do what they are granted;
   * without a login, everything is allowed.
   */
  readonly users?: Readonly<Record<string, string>>;
  /** Files with keys and certificates. For each, clients without a login find the broker at an address of its own. */
  readonly certificates?: readonly string[];
}

/** Starts a broker whose topics are deleted when it ends. It ends with this process at the latest. */
export async function startKafka({ users = {}, certificates = [] }: KafkaOptions = {}): Promise<KafkaServer> {
  const folder = mkdtempSync(join(tmpdir(), "graphloom-kafka-"));
  const authority = makeAuthority(folder, "authority");
  const keys = authority.sign("broker", "IP:127.0.0.1");
  const ports = await freePorts(5 + certificates.length);
  const [port = 0, loginPort = 0, tlsPort = 0, tlsLoginPort = 0] = ports;
  const settings = join(folder, "server.properties");
  writeFileSync(settings, settingsOf(join(folder, "log"), ports, keys, users, certificates));
  const known = ["SCRAM-SHA-256", "SCRAM-SHA-512"].flatMap((mechanism) => [
    "--add-scram",
    `${mechanism}=[name=${login.user},password=${login.password}]`,
  ]);
  runJava("kafka", "kafka.tools.StorageTool", ["format", "-t", clusterId, "-c", settings, ...known]);
  const start = (): Promise<JavaProcess> =>
    startJava("kafka", "kafka.Kafka", [settings], /Kafka Server started/);
  let broker = await start();
  return {
    address: `127.0.0.1:${port}`,
    loginAddress: `127.0.0.1:${loginPort}`,
    encrypted: { address: `127.0.0.1:${tlsPort}`, loginAddress: `127.0.0.1:${tlsLoginPort}` },
    others: ports.slice(5).map((other) => `127.0.0.1:${other}`),
    authority: authority.path,
    login,
    grant: (options) => {
      const server = ["--bootstrap-server", `127.0.0.1:${port}`];
      runJava("kafka", "kafka.admin.AclCommand", [...server, ...options]);
    },
    kill: () => broker.kill(),
    restart: async () => {
      broker = await start();
    },
    stop: async () => {
      await broker.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * One node that is broker and controller. Topics are made only by those who ask for it.
 * @param keys the path of the key and the certificate
 */
function settingsOf(
  log: string,
  ports: readonly number[],
  keys: string,
  users: Readonly<Record<string, string>>,
  certificates: readonly string[],
): string {
  const known = Object.entries({ ...users, [login.user]: login.password }).map(
    ([name, password]) => ` user_${name}="${password}"`,
  );
  const listening = [
    "PLAIN",
    "LOGIN",
    "TLS",
    "SECURE",
    "CONTROLLER",
    ...certificates.map((_, index) => `OTHER${index}`),
  ];
  const listeners = listening.map((name, index) => `${name}://127.0.0.1:${ports[index] ?? 0}`);
  const security = "org.apache.kafka.common.security";
  const logins = ["login", "secure"].map(
    (listener) => `
listener.name.${listener}.plain.sasl.jaas.config=${security}.plain.PlainLoginModule required${known.join("")};
listener.name.${listener}.scram-sha-256.sasl.jaas.config=${security}.scram.ScramLoginModule required;
listener.name.${listener}.scram-sha-512.sasl.jaas.config=${security}.scram.ScramLoginModule required;`,
  );
  return `
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${ports[4] ?? 0}
controller.listener.names=CONTROLLER
listeners=${listeners.join(",")}
listener.security.protocol.map=PLAIN:PLAINTEXT,LOGIN:SASL_PLAINTEXT,TLS:SSL,SECURE:SASL_SSL,CONTROLLER:PLAINTEXT${certificates.map((_, index) => `,OTHER${index}:SSL`).join("")}
inter.broker.listener.name=PLAIN
sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512
${logins.join("")}
${Object.keys(users).length > 0 ? restricted : ""}
${certificates.map((path, index) => `listener.name.other${index}.ssl.keystore.type=PEM\nlistener.name.other${index}.ssl.keystore.location=${path}`).join("\n")}
ssl.keystore.type=PEM
ssl.keystore.location=${keys}
log.dirs=${log}
auto.create.topics.enable=false
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
`;
}

const restricted = `authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS;User:${login.user}`;
