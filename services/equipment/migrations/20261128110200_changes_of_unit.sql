-- The last release does not mark changes of the unit; rebuild-projections does.
GRANT UPDATE (new_unit) ON ledger TO hourmeter_equipment;
