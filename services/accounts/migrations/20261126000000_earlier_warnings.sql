ALTER TABLE companies ADD COLUMN earlier_warnings boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN companies.earlier_warnings IS
    'Equipment list and form show the badges that warn earlier than the service status.';
