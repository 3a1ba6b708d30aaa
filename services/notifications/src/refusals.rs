//! Error codes of this service and their English messages.

hourmeter_runtime::refusals! {
    MAIL_NOT_CONFIGURED: "This installation sends no mail. Ask the people who run it.",
    QUIET_HOURS_EMPTY: "Start and end must differ.",
}
