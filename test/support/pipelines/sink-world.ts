import { createNodeWorld } from "../../../src/machine/world.js";
import { openFileState, readFileState } from "../../../src/pipelines/machine/state/open-file-state.js";
import type { SinkWorld } from "../../../src/pipelines/sinks/opening.js";
import type { TransformWorld } from "../../../src/pipelines/transforms/opening.js";
import { createOutgoing } from "../../../src/web/outgoing/outgoing.js";

/** What a test plays of the world of sinks that send their rows. */
export interface PlayedSinkWorld {
  /** The folder of states. */
  readonly folder: string;
  readonly secrets?: Readonly<Record<string, string>>;
  /** Milliseconds after which a server counts as silent; what the sink says by default. */
  readonly timeout?: number;
  readonly clock?: SinkWorld["clock"];
}

/** The same world, which is interrupted before and after all that it does. */
export function interruptedWorld(world: SinkWorld, cut: () => void): SinkWorld {
  const around = async <T>(work: () => Promise<T>): Promise<T> => {
    cut();
    const result = await work();
    cut();
    return result;
  };
  return {
    ...world,
    outgoing: { send: (request) => around(() => world.outgoing.send(request)) },
    openState: async (owner) => {
      cut();
      const state = await world.openState(owner);
      return {
        kept: state.kept,
        begin: (batches, least) => around(() => state.begin(batches, least)),
        arrived: (last) => around(() => state.arrived(last)),
        finish: () => around(() => state.finish()),
        correct: (source, entry) => around(() => state.correct(source, entry)),
        ledger: (source) => state.ledger(source),
        keepLineage: (text) => around(() => state.keepLineage(text)),
        forget: () => around(() => state.forget()),
        close: () => state.close(),
      };
    },
  };
}

const world = createNodeWorld();

/** The real world of sinks that send their rows: files, network and clock of this machine. */
export function sinkWorld({
  folder,
  secrets = {},
  timeout,
  clock = world,
}: PlayedSinkWorld): SinkWorld & TransformWorld {
  const none = (): never => {
    throw new Error("the sink of this test does not need it");
  };
  const times = { timeout: (limit: number) => AbortSignal.timeout(timeout ?? limit) };
  return {
    out: none,
    openFiles: none,
    openDatabase: none,
    openDuckDbFile: none,
    openScript: none,
    openMysql: none,
    openClickHouse: none,
    openKafka: none,
    secret: (name) => secrets[name],
    openState: (owner) => openFileState(folder, owner),
    readState: (owner) => readFileState(folder, owner),
    outgoing: createOutgoing({ allowsPrivate: true }, times),
    clock,
  };
}
