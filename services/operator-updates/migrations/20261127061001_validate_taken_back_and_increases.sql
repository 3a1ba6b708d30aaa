ALTER TABLE updates
    VALIDATE CONSTRAINT updates_usage_increase,
    VALIDATE CONSTRAINT updates_unit;
