-- A fact for the notifications service when an update does not wait with flags any more, or does again.

ALTER TABLE facts
    DROP CONSTRAINT facts_kind_check,
    ADD CONSTRAINT facts_kind_check CHECK (kind IN ('flagged', 'rejected', 'settled')) NOT VALID;
COMMENT ON COLUMN facts.kind IS 'flagged: it waits for review with flags; rejected: a manager rejected it; settled: it does not wait with flags any more, or does again.';

CREATE OR REPLACE FUNCTION record_facts()
RETURNS trigger
LANGUAGE plpgsql SET search_path = ''
AS $$
DECLARE
    is_flagged boolean := NEW.status = 'pending' AND cardinality(NEW.flags) > 0;
BEGIN
    -- Later flags come from what managers do themselves.
    IF TG_OP = 'INSERT' AND is_flagged THEN
        INSERT INTO public.facts (company_id, update_id, kind, happened_at, next_try_at)
        VALUES (NEW.company_id, NEW.id, 'flagged', now(), now())
        ON CONFLICT DO NOTHING;
    -- The operator's own word for a withdrawn update.
    ELSIF NEW.status = 'rejected' AND NEW.reject_reason <> 'WITHDRAWN'
        AND (TG_OP = 'INSERT' OR OLD.status <> 'rejected')
    THEN
        -- Managers can undo it within a minute.
        INSERT INTO public.facts (company_id, update_id, kind, happened_at, next_try_at)
        VALUES (NEW.company_id, NEW.id, 'rejected', now(), now() + interval '1 minute')
        ON CONFLICT (company_id, update_id, kind) DO UPDATE
        SET happened_at = excluded.happened_at, next_try_at = excluded.next_try_at;
    END IF;
    IF TG_OP = 'UPDATE' AND is_flagged <> (OLD.status = 'pending' AND cardinality(OLD.flags) > 0) THEN
        -- After a fact of the flagged update that is being sent.
        INSERT INTO public.facts (company_id, update_id, kind, happened_at, next_try_at)
        VALUES (NEW.company_id, NEW.id, 'settled', now(), now() + interval '2 seconds')
        ON CONFLICT (company_id, update_id, kind) DO UPDATE
        SET happened_at = excluded.happened_at, next_try_at = excluded.next_try_at;
    END IF;
    RETURN NULL;
END
$$;
DROP TRIGGER record_facts ON updates;
CREATE TRIGGER record_facts AFTER INSERT OR UPDATE OF status, flags ON updates
    FOR EACH ROW EXECUTE FUNCTION record_facts();
