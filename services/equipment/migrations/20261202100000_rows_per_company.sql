-- Statements are planned once for all companies, and the sampled statistics describe the average
-- company. While each company has one machine, the planner expects one row per company, and may read
-- all rows of a large company for each of its rows. From the next ANALYZE on, it expects
-- 100 rows per company, and 1,000 in the ledger. The most common company of its sample limits
-- this.
ALTER TABLE equipment ALTER COLUMN company_id SET (n_distinct = -0.01);
ALTER TABLE service_tasks ALTER COLUMN company_id SET (n_distinct = -0.01);
ALTER TABLE service_parts ALTER COLUMN company_id SET (n_distinct = -0.01);
ALTER TABLE task_set_links ALTER COLUMN company_id SET (n_distinct = -0.01);
ALTER TABLE ledger ALTER COLUMN company_id SET (n_distinct = -0.001);
ALTER TABLE ledger_voids ALTER COLUMN company_id SET (n_distinct = -0.01);
