//! Refusals of this service: code and English message.

pub use hourmeter_runtime::refusals::{FUEL_AMOUNT_INVALID, INVALID_USAGE};

hourmeter_runtime::refusals! {
    ALREADY_APPLIED: "This update was already applied.",
    ALREADY_REJECTED: "This update was already rejected.",
    ALREADY_WITHDRAWN: "The operator has withdrawn this update.",
    APPLIED_LATER: "This update will be applied as soon as possible.",
    APPLY_FAILED: "This update could not be applied.",
    BEING_APPLIED: "This update is being applied.",
    CLIENT_ID_TAKEN: "This update's id is already taken.",
    EQUIPMENT_GONE: "The equipment of this update is retired or was deleted.",
    EQUIPMENT_NOT_SELECTED: "Select the equipment.",
    FUEL_TYPE_UNKNOWN: "Must be gas or diesel.",
    METER_CHANGE_UNKNOWN: "Must be replaced or rolled_over.",
    NOTHING_ENTERED: "Enter the usage, fuel or notes.",
    NOT_APPLIED: "This update was not applied yet.",
    NO_EQUIPMENT_SELECTED: "No Equipment Selected",
    NO_INFORMATION_PROVIDED: "No Information Provided",
    OWN_SIGN_IN_REQUIRED: "Sign in with your own username to withdraw an update.",
    READING_BELOW_CURRENT: "The reading is below the current usage. Enter the reading to apply.",
    READING_IN_OTHER_UNIT: "The machine's unit has changed since. Enter the reading to apply.",
    READING_MISSING: "Enter what the meter shows now.",
    ROLLED_OVER_NOT_AT_ZERO: "Must be 0 when the meter began again.",
    SAME_EQUIPMENT: "This update is already for this equipment.",
    START_ABOVE_READING: "Must not be above the reading.",
    STATUS_UNKNOWN: "Is not a status.",
    UNDO_EXPIRED: "This can no longer be undone.",
    UNDO_LATER: "This is not undone yet. Try again.",
    UNDO_OVERTAKEN: "Another decision was made since.",
    UNIT_UNKNOWN: "Must be hours, miles, kilometers or n/a.",
    UPDATES_BETWEEN: "Must be {min} to {max} updates.",
}
