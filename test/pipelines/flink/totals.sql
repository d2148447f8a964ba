-- Pipeline totals for Flink's SQL client. Put values where ${…} stands.
-- Integers of 256 bits are DECIMAL(38, 0); a larger one is an error.
-- Topics that graphloom writes:
--   totals.hashed: hashed
--   totals.hashed.final: hashed, final rows only
-- Sinks that graphloom writes: shown

-- how the job runs
SET 'pipeline.name' = 'graphloom totals';
SET 'execution.runtime-mode' = 'streaming';
SET 'execution.checkpointing.interval' = '10 s';
SET 'table.local-time-zone' = 'UTC';
SET 'table.dynamic-table-options.enabled' = 'false';
SET 'table.exec.legacy-cast-behaviour' = 'DISABLED';

-- where the tables are
CREATE CATALOG `graphloom` WITH ('type' = 'generic_in_memory', 'default-database' = 'flow');
USE CATALOG `graphloom`;
CREATE DATABASE `topics`;
CREATE DATABASE `final_topics`;
CREATE DATABASE `sinks`;

-- rows of hashed
CREATE TABLE `graphloom`.`topics`.`hashed` (
  `id` STRING NOT NULL,
  `hash` STRING,
  `sender` STRING,
  `amount` STRING,
  PRIMARY KEY (`id`) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'totals.hashed',
  'key.format' = 'json',
  'value.format' = 'json',
  'value.json.timestamp-format.standard' = 'ISO-8601',
  'properties.bootstrap.servers' = '${KAFKA.brokers}'
);

-- rows of hashed that are final
CREATE TABLE `graphloom`.`final_topics`.`hashed` (
  `id` STRING NOT NULL,
  `hash` STRING,
  `sender` STRING,
  `amount` STRING,
  PRIMARY KEY (`id`) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'totals.hashed.final',
  'key.format' = 'json',
  'value.format' = 'json',
  'value.json.timestamp-format.standard' = 'ISO-8601',
  'properties.bootstrap.servers' = '${KAFKA.brokers}'
);

-- sink kept
CREATE TABLE `graphloom`.`sinks`.`kept` (
  `sender` STRING NOT NULL,
  `transfers` BIGINT,
  `total` DECIMAL(38, 0),
  PRIMARY KEY (`sender`) NOT ENFORCED
) WITH (
  'connector' = 'jdbc',
  'url' = '${DB.url}',
  'username' = '${DB.user}',
  'password' = '${DB.password}',
  'table-name' = 'public.totals',
  'sink.buffer-flush.max-rows' = '1000',
  'sink.buffer-flush.interval' = '1000 ms'
);

-- sink sent
CREATE TABLE `graphloom`.`sinks`.`sent` (
  `id` STRING NOT NULL,
  `amount` STRING,
  `total` STRING,
  PRIMARY KEY (`id`) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'large',
  'key.format' = 'json',
  'value.format' = 'json',
  'value.json.encode.decimal-as-plain-number' = 'true',
  'properties.bootstrap.servers' = '${EVENTS.brokers}'
);

-- the job
EXECUTE STATEMENT SET
BEGIN
INSERT INTO `graphloom`.`sinks`.`kept`
WITH `hashed` AS (
  SELECT `id`, `hash`, `sender`, CAST(`amount` AS DECIMAL(38, 0)) AS `amount`
  FROM `graphloom`.`topics`.`hashed`
),
`sums` (`sender`, `transfers`, `total`) AS (
SELECT `sender`, COUNT(*) AS `transfers`, SUM(`amount`) AS `total`
FROM `hashed`
GROUP BY `sender`
)
SELECT
  CAST(`sender` AS STRING),
  CAST(`transfers` AS BIGINT),
  CAST(`total` AS DECIMAL(38, 0))
FROM `sums`;

INSERT INTO `graphloom`.`sinks`.`sent`
WITH `hashed` AS (
  SELECT `id`, `hash`, `sender`, CAST(`amount` AS DECIMAL(38, 0)) AS `amount`
  FROM `graphloom`.`final_topics`.`hashed`
),
`sums` (`sender`, `transfers`, `total`) AS (
SELECT `sender`, COUNT(*) AS `transfers`, SUM(`amount`) AS `total`
FROM `hashed`
GROUP BY `sender`
),
`large` (`id`, `amount`, `total`) AS (
SELECT `h`.`id`, `h`.`amount`, `s`.`total`
FROM `hashed` AS `h`
INNER JOIN `sums` AS `s` ON (`h`.`sender` = `s`.`sender`)
)
SELECT
  CAST(`id` AS STRING),
  CAST(`amount` AS STRING),
  CAST(`total` AS STRING)
FROM `large`;
END;
