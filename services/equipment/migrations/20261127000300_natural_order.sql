-- Order of names for people: without case and accents, and numbers by their value ("Truck 2" before
-- "Truck 10"). Deterministic: equal names are ordered by their bytes.
CREATE COLLATION natural_order (provider = icu, locale = 'und-u-kn-true-ks-level1');
