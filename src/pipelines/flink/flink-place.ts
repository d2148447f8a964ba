/** Where Flink is, and the Kafka of its topics. Both are the operator's, so pipelines do not choose them. */
export interface FlinkPlace {
  /** The address of Flink's SQL gateway, which may hold a password. */
  readonly gateway: string;
  /** The cluster of the topics, as the value of a secret of the type kafka. */
  readonly kafka: string;
}
