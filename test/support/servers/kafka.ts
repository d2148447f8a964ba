import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts, type JavaProcess, runJava, startJava } from "./java-server.js";

/** A Kafka broker of its own for a test, initially without topics. */
export interface KafkaServer {
  /** `127.0.0.1:<port>`, without authentication. */
  readonly address: string;
  /** The same broker, for clients that log in by SASL PLAIN. */
  readonly loginAddress: string;
  /** Whoever may log in. */
  readonly login: { readonly user: string; readonly password: string };
  /** Ends the broker at once. Its topics stay. */
  kill(): Promise<void>;
  /** Starts a broker that was ended, at the same address. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const login = { user: "loader", password: "a password" };
const clusterId = "MkU3OEVBNTcwNTJENDM2Qg";

/** Starts a broker whose topics are deleted when it ends. It ends with this process at the latest. */
export async function startKafka(): Promise<KafkaServer> {
  const folder = mkdtempSync(join(tmpdir(), "graphloom-kafka-"));
  const [port = 0, loginPort = 0, controllerPort = 0] = await freePorts(3);
  const settings = join(folder, "server.properties");
  writeFileSync(settings, settingsOf(join(folder, "log"), port, loginPort, controllerPort));
  runJava("kafka", "kafka.tools.StorageTool", ["format", "-t", clusterId, "-c", settings]);
  const start = (): Promise<JavaProcess> =>
    startJava("kafka", "kafka.Kafka", [settings], /Kafka Server started/);
  let broker = await start();
  return {
    address: `127.0.0.1:${port}`,
    loginAddress: `127.0.0.1:${loginPort}`,
    login,
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

/** One node that is broker and controller. Topics are made only by those who ask for it. */
function settingsOf(log: string, port: number, loginPort: number, controllerPort: number): string {
  const module = "org.apache.kafka.common.security.plain.PlainLoginModule";
  return `
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controllerPort}
controller.listener.names=CONTROLLER
listeners=PLAIN://127.0.0.1:${port},LOGIN://127.0.0.1:${loginPort},CONTROLLER://127.0.0.1:${controllerPort}
listener.security.protocol.map=PLAIN:PLAINTEXT,LOGIN:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=PLAIN
sasl.enabled.mechanisms=PLAIN
listener.name.login.plain.sasl.jaas.config=${module} required user_${login.user}="${login.password}";
log.dirs=${log}
auto.create.topics.enable=false
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
`;
}
