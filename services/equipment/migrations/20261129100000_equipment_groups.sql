-- What a company groups its equipment by, such as a crew or a site.
ALTER TABLE equipment ADD COLUMN equipment_group text;
COMMENT ON COLUMN equipment.equipment_group IS
    'What the company groups its equipment by, such as a crew or a site; null: none.';
