import { UnknownDatasetError } from "../../datasets/catalog/find-dataset.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** Looks something up in the catalogue. @throws UsageError if it does not exist */
export function knownOnly<Found>(find: () => Found): Found {
  try {
    return find();
  } catch (error) {
    throw error instanceof UnknownDatasetError ? new UsageError(error.message) : error;
  }
}
