-- How proofs of indexing are hashed; null for deployments that keep none, as those from before this version.
alter table graphloom.deployments add proof_variant text check (proof_variant in ('fast', 'legacy'));
