-- Statements are planned once for all companies, and the sampled statistics describe the average
-- company. While most companies have one update, the planner expects one row per company, and may
-- read all rows of a large company for each of its rows. These values take the place of the samples
-- at the next ANALYZE: 1,000 updates per company, and 100 queued decisions.
ALTER TABLE updates ALTER COLUMN company_id SET (n_distinct = -0.001);
ALTER TABLE decisions ALTER COLUMN company_id SET (n_distinct = -0.01);
