import { ApiAnswerError } from "./answers/answer-error.js";
import { checkData } from "./answers/check-answer.js";
import { type ApiConnection, callForBytes, callRoute } from "./call-route.js";
import { datasetOperations, fileHeaders, type ServedDatasetChain } from "./dataset-operations.js";

/** A range of blocks of a dataset. */
export interface DatasetFileQuestion {
  /** `ethereum.raw_logs` */
  readonly dataset: string;
  readonly from: number;
  readonly to: number;
  readonly contract?: string | undefined;
}

/** A file as the server sent it. Unchecked. */
export interface DatasetFileAnswer {
  readonly bytes: Uint8Array;
  /** The day of its first block. */
  readonly day: string;
  readonly chainId: string;
  /** The hash of the chain's first block, if the server sends it. */
  readonly firstBlock?: string;
}

/** Datasets on graphloom's server. Every method rejects as in `AccountsApi`. */
export interface DatasetsApi {
  /** @param name the prefix of a chain's datasets; the server refuses a chain without a node */
  chain(name: string): Promise<ServedDatasetChain>;
  file(question: DatasetFileQuestion): Promise<DatasetFileAnswer>;
}

/** The largest file that a client accepts, in bytes. Servers create no larger ones. */
export const largestFile = 64 * 1_048_576;
/** Milliseconds without progress: a server may work on a file for two minutes before it sends the first byte. */
const fileTimeout = 180_000;

/** Creates a client for a server's datasets. This sends no request. */
export function createDatasetsApi(connection: ApiConnection): DatasetsApi {
  return {
    async chain(name) {
      const id = "listDatasets";
      const operation = datasetOperations[id];
      const { text, secrets } = await callRoute(connection, { ...operation, id }, { query: { chain: name } });
      const [chain] = checkData(id, operation, text, secrets) as readonly ServedDatasetChain[];
      if (!chain) throw new ApiAnswerError(id, "lacks the chain that was asked for");
      return chain;
    },
    async file({ dataset, from, to, contract }) {
      const id = "getDatasetFile";
      const query = { from_block: from, to_block: to, contract_address: contract };
      const { bytes, headers } = await callForBytes(
        { ...connection, maxAnswer: largestFile },
        { ...datasetOperations[id], id },
        { path: { dataset }, query, timeout: fileTimeout },
      );
      const header = (name: string): string => headers.get(name) ?? "";
      const firstBlock = header(fileHeaders.firstBlock);
      return {
        bytes,
        day: header(fileHeaders.day),
        chainId: header(fileHeaders.chainId),
        ...(firstBlock !== "" && { firstBlock }),
      };
    },
  };
}
