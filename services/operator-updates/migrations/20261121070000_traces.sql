-- Which request reported an entry and which decided on it, so that a trace leads on to its effect.

ALTER TABLE updates ADD COLUMN traceparent text;
COMMENT ON COLUMN updates.traceparent IS 'Where in which trace it was received, as W3C writes it; null: unknown.';

ALTER TABLE decisions ADD COLUMN traceparent text;
COMMENT ON COLUMN decisions.traceparent IS 'Where in which trace it was decided, as W3C writes it; null: unknown.';
