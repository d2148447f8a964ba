import { BundleError } from "../bundle-error.js";

/** A mistake in the sources of a composed subgraph, in graph-node's words. */
export class CompositionError extends BundleError {}
