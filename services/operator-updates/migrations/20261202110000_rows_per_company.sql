-- Statements are planned once for all companies, and the sampled statistics describe the average
-- company. While each company has one update, the planner expects one row per company, and may read
-- all rows of a large company for each of its rows. From the next ANALYZE on, it expects
-- 1,000 updates per company, and 100 queued decisions. The most common company of its sample limits
-- this.
ALTER TABLE updates ALTER COLUMN company_id SET (n_distinct = -0.001);
ALTER TABLE decisions ALTER COLUMN company_id SET (n_distinct = -0.01);
