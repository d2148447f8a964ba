-- Pipeline totals for Flink's SQL client. Put values where ${…} stands.
-- Integers of 256 bits are DECIMAL(38, 0); a larger one ends the job.
-- Topics that graphloom writes:
--   totals.hashed: hashed
--   totals.hashed.final: hashed, final rows only
-- Sinks that graphloom writes: shown

-- how the job runs
SET 'pipeline.name' = 'graphloom totals';
SET 'execution.runtime-mode' = 'streaming';
SET 'execution.checkpointing.interval' = '10 s';
SET 'table.local-time-zone' = 'UTC';
SET 'table.exec.legacy-cast-behaviour' = 'DISABLED';

-- tables of rows that may still be deleted
CREATE CATALOG `graphloom` WITH ('type' = 'generic_in_memory', 'default-database' = 'flow');
USE CATALOG `graphloom`;
CREATE DATABASE IF NOT EXISTS `graphloom_topics`;
CREATE DATABASE IF NOT EXISTS `graphloom_sinks`;

-- rows of hashed
CREATE TABLE `graphloom_topics`.`hashed` (
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

-- hashed, as queries see it
CREATE VIEW `hashed` AS
SELECT
  `id`,
  `hash`,
  `sender`,
  CAST(`amount` AS DECIMAL(38, 0)) AS `amount`
FROM `graphloom_topics`.`hashed`;

-- transform sums
CREATE VIEW `sums` (`sender`, `transfers`, `total`) AS
SELECT sender, count(*) AS transfers, SUM(amount) AS total
FROM hashed GROUP BY sender -- for each sender
;

-- sink kept
CREATE TABLE `graphloom`.`graphloom_sinks`.`kept` (
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

-- tables of final rows
CREATE CATALOG `graphloom_final` WITH ('type' = 'generic_in_memory', 'default-database' = 'flow');
USE CATALOG `graphloom_final`;
CREATE DATABASE IF NOT EXISTS `graphloom_topics`;
CREATE DATABASE IF NOT EXISTS `graphloom_sinks`;

-- rows of hashed
CREATE TABLE `graphloom_topics`.`hashed` (
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

-- hashed, as queries see it
CREATE VIEW `hashed` AS
SELECT
  `id`,
  `hash`,
  `sender`,
  CAST(`amount` AS DECIMAL(38, 0)) AS `amount`
FROM `graphloom_topics`.`hashed`;

-- transform sums
CREATE VIEW `sums` (`sender`, `transfers`, `total`) AS
SELECT sender, count(*) AS transfers, SUM(amount) AS total
FROM hashed GROUP BY sender -- for each sender
;

-- transform large
CREATE VIEW `large` (`id`, `amount`, `total`) AS
SELECT h.id, h.amount, s.total FROM hashed h JOIN sums s ON h.sender = s.sender
;

-- sink sent
CREATE TABLE `graphloom_final`.`graphloom_sinks`.`sent` (
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
INSERT INTO `graphloom`.`graphloom_sinks`.`kept`
SELECT
  CAST(`sender` AS STRING),
  CAST(`transfers` AS BIGINT),
  CAST(`total` AS DECIMAL(38, 0))
FROM `graphloom`.`flow`.`sums`;

INSERT INTO `graphloom_final`.`graphloom_sinks`.`sent`
SELECT
  CAST(`id` AS STRING),
  CAST(`amount` AS STRING),
  CAST(`total` AS STRING)
FROM `graphloom_final`.`flow`.`large`;
END;
